package change

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// settings are what a program says, in words, by its path. Of what is secret there is a hash.
// What is not known yet is "".
type settings struct{ plain, secret map[string]string }

// are reports whether they are known: states of earlier versions have none.
func (s settings) are() bool { return len(s.plain)+len(s.secret) > 0 }

// value is one setting.
type value struct {
	text          string
	given, secret bool
}

func (v value) isUnknown() bool { return v.given && v.text == "" }

func (s settings) at(path string) value {
	if text, is := s.secret[path]; is {
		return value{text, true, true}
	}
	text, is := s.plain[path]
	return value{text, is, false}
}

// unknown reports whether a path lies in something that is not known yet as a whole.
func (s settings) unknown(path string) bool {
	for i := strings.LastIndexAny(path, ".["); i > 0; i = strings.LastIndexAny(path[:i], ".[") {
		if s.at(path[:i]).isUnknown() {
			return true
		}
	}
	return false
}

// has reports whether there is anything in the object or item at a path.
func (s settings) has(path string) bool {
	return slices.ContainsFunc(s.paths(), func(p string) bool { return check.Within(p, path) })
}

func (s settings) paths() []string {
	return slices.Concat(slices.Collect(maps.Keys(s.plain)), slices.Collect(maps.Keys(s.secret)))
}

// differing are the paths at which two differ.
func differing(before, now settings) (paths []string) {
	for _, path := range slices.Compact(slices.Sorted(slices.Values(append(before.paths(), now.paths()...)))) {
		if !now.unknown(path) && before.at(path) != now.at(path) && (now.at(path) != value{} || !now.isUnknownBelow(path)) &&
			!before.isFilled(path, now) && !now.isFilled(path, before) {
			paths = append(paths, path)
		}
	}
	return paths
}

// isFilled is for an object or a list that is empty, where the other settings have something in it: the lines of that say so.
func (s settings) isFilled(path string, other settings) bool {
	return slices.Contains([]string{"{}", "[]"}, s.at(path).text) && !other.at(path).given && other.has(path)
}

// isUnknownBelow is for a list that was one value, and has items now of which some are not known yet.
func (s settings) isUnknownBelow(path string) bool {
	return slices.ContainsFunc(s.paths(), func(p string) bool { return p != path && check.Within(p, path) && s.at(p).isUnknown() })
}

// difference is what became of a setting.
type difference struct {
	path  string // with * for the name of a machine
	items []string
	list  string
	text  string
}

// inItem is a path in an item of a list that has names.
var inItem = regexp.MustCompile(`^(\w+)\[([^\]]+)\](.*)$`)

// tell says what differs, a line for each setting: what is alike in several machines of a list
// once. lists are the names that these have.
func tell(before, now settings, lists map[string][]string) (lines []string) {
	var all []difference
	for _, path := range differing(before, now) {
		d := difference{path: path, text: words(readable(path, before.at(path)), readable(path, now.at(path)))}
		if in := inItem.FindStringSubmatch(path); in != nil && lists[in[1]] != nil {
			d = difference{in[1] + "[*]" + in[3], []string{in[2]}, in[1], d.text}
			switch item := in[1] + "[" + in[2] + "]"; {
			case !before.has(item):
				d.path, d.text = in[1]+"[*]", "added"
			case !now.has(item):
				d.path, d.text = in[1]+"[*]", "removed"
			}
		} else if top, _, is := strings.Cut(path, "."); is && !now.has(top) {
			d.path, d.text = top, "removed"
		}
		at := slices.IndexFunc(all, func(o difference) bool { return o.path == d.path && o.text == d.text })
		switch {
		case at < 0:
			all = append(all, d)
		case d.items != nil && !slices.Contains(all[at].items, d.items[0]):
			all[at].items = append(all[at].items, d.items[0])
		}
	}
	for _, d := range all {
		path := d.path
		if d.items != nil && (len(d.items) == 1 || len(d.items) < len(lists[d.list]) || d.text == "added" || d.text == "removed") {
			path = strings.Replace(path, "[*]", "["+few(d.items)+"]", 1)
		}
		lines = append(lines, path+": "+d.text)
	}
	return lines
}

// words say what a setting was, and is.
func words(before, now value) string {
	switch {
	case before.secret && now.isUnknown():
		return "[secret] -> " + notKnown
	case !before.given && now.isUnknown(): // or it was an object
		return notKnown
	case now.isUnknown():
		before.text, _ = apart(before.text, "")
		return before.text + " -> " + notKnown
	case before.secret && !now.given:
		return "[secret] removed"
	case now.secret && !before.given:
		return "[secret] set"
	case before.secret != now.secret && before.given && now.given:
		return secrecy(before, now)
	case before.secret || now.secret:
		return "[secret] changed"
	case !before.given:
		before.text = "not set"
	case !now.given:
		now.text = "not set"
	}
	before.text, now.text = apart(before.text, now.text)
	return before.text + " -> " + now.text
}

const notKnown = "not known yet"

// widest is what a line has of a value, in characters. Of two certificates the whole is read.
const (
	widest               = 60
	widestOfCertificates = 200
)

// apart cuts two long values, so that what differs is seen.
func apart(a, b string) (shownA, shownB string) {
	one, other := []rune(a), []rune(b)
	same := 0
	for same < len(one) && same < len(other) && one[same] == other[same] {
		same++
	}
	cut := func(of []rune) string {
		if len(of) <= widest || len(of) <= widestOfCertificates && strings.Contains(string(of), aCertificate) {
			return string(of)
		}
		from := min(max(0, same-15), len(of)-widest+6)
		to := min(len(of), from+widest-6)
		text := string(of[from:to])
		if from > 0 {
			text = "..." + text
		}
		if to < len(of) {
			text += "..."
		}
		return text
	}
	return cut(one), cut(other)
}

// few are names, as many as are read.
func few(names []string) string {
	if len(names) <= 8 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, ... %s (%d)", strings.Join(names[:3], ", "), names[len(names)-1], len(names))
}

// atMost are the first lines, and how many more there are.
func atMost(n int, lines []string) []string {
	if len(lines) <= n+1 {
		return lines
	}
	return append(lines[:n:n], fmt.Sprintf("and %d more", len(lines)-n))
}
