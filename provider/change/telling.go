package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// tense is whether it is yet to be done.
type tense bool

func (t tense) of(yet, done string) string {
	if t {
		return yet
	}
	return done
}

// differ is what the program has set otherwise.
type differ struct {
	paths, lines []string
	known        bool     // whether it is known what was set before
	following    []string // lines of what follows from other settings
}

func differences(before, now settings, lists map[string][]string) differ {
	if !before.are() {
		return differ{}
	}
	from, to := before.withoutFollowing(), now.withoutFollowing()
	return differ{differing(from, to), tell(from, to, lists), true, following(before, now, lists)}
}

// needing are those of the settings in two lists that differ, by their last names. Of a list of texts
// that differs, only the items count that are in one of the lists alone.
func (d differ) needing(before, now []string) (names []string) {
	for _, path := range d.paths {
		if slices.ContainsFunc(slices.Concat(before, now), func(one string) bool {
			isItem := strings.HasPrefix(one, path+"[")
			return !isItem && (check.Within(one, path) || check.Within(path, one)) || isItem && slices.Contains(before, one) != slices.Contains(now, one)
		}) {
			names = append(names, path[strings.LastIndex(path, ".")+1:])
		}
	}
	return names
}

// telling is a message: lines, each deeper than what it is about.
type telling struct{ strings.Builder }

func (t *telling) add(depth int, lines ...string) {
	for _, line := range lines {
		if t.Len() > 0 {
			t.WriteString("\n")
		}
		t.WriteString(strings.Repeat("  ", depth) + line)
	}
}

// mostSettings are as many as are shown: the message is to be at most a screen.
const mostSettings = 15

// heading says what the program has set otherwise. handed are those that are handed something, with their verb;
// again is that machines are made again, and nothing else happens.
func (t *telling) heading(name, handed string, d differ, again bool, when tense) {
	unknown := len(slices.DeleteFunc(slices.Clone(d.lines), func(line string) bool { return !strings.HasSuffix(line, notKnown) }))
	switch n := len(d.lines); {
	case n == 0 && again:
		t.add(0, name+": "+when.of("no setting changes", "no setting changed"))
	case !d.known:
		t.add(0, name+": what "+handed+" handed "+when.of("changes", "has changed"))
	case n == 0:
		t.add(0, name+": "+when.of("no setting changes, but what "+handed+" handed does", "no setting changed, but what "+handed+" handed did")+
			": renewed certificates, another release of this package, or the rest of an earlier update")
	case n == 1 && unknown == 1:
		t.add(0, name+": 1 setting may change")
	case n == unknown:
		t.add(0, fmt.Sprintf("%s: %d settings may change", name, n))
	case unknown > 0:
		t.add(0, fmt.Sprintf("%s: %d settings change or may change", name, n))
	case n == 1:
		t.add(0, name+": "+when.of("1 setting changes", "1 setting changed"))
	default:
		t.add(0, fmt.Sprintf("%s: %d %s", name, n, when.of("settings change", "settings changed")))
	}
	lines := atMost(mostSettings, d.lines)
	if len(lines) < len(d.lines) {
		lines[mostSettings] += ": see --diff"
	}
	t.add(2, lines...)
}

// restart says what an operator does afterwards. starts is that PostgreSQL starts again for another reason: as a rule it
// has the new values then, but may start before its cluster takes them.
func (t *telling) restart(names []string, starts bool, command *string) {
	switch {
	case len(names) == 0:
		return
	case starts:
		t.add(1, "PostgreSQL takes "+few(names)+" as it starts again. Where `patronictl list` shows a pending restart after the update, it must be restarted once more")
	default:
		t.add(1, "PostgreSQL must be restarted for "+few(names)+", after the update: until then the former values are in force")
	}
	if command != nil && *command != "" {
		t.add(2, "on a node: "+*command)
	}
}

// mostLive are as many effects without a restart as are shown of a machine.
const mostLive = 3

// brief are effects, of which those without a restart are many when a service comes or goes.
func brief(effects []string) []string {
	isLive := func(line string) bool { return strings.HasPrefix(line, guest.Live) }
	first := slices.IndexFunc(effects, isLive)
	if first < 0 || len(effects)-first <= mostLive+1 {
		return effects
	}
	told, rest := effects[:first+mostLive:first+mostLive], effects[first+mostLive:]
	more := fmt.Sprintf("%sand %d more", guest.Live, len(rest))
	if deleted := len(slices.DeleteFunc(slices.Clone(rest), func(line string) bool { return !strings.HasSuffix(line, isDeleted) })); deleted == 1 {
		more += ", of which 1 deletes a file"
	} else if deleted > 1 {
		more += fmt.Sprintf(", of which %d delete a file", deleted)
	}
	return append(told, more+": see --diff")
}
