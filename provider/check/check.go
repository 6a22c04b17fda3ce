// Package check says what is wrong with an input, in words for the person who
// wrote it.
//
// A Problem is one fault at one path; a List gathers them. A rule, such as IP
// or HostName, looks at one value and returns the reason it is refused, or "".
// Rules for secrets never show the value.
package check

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Problem is one thing wrong with an input.
type Problem struct {
	Path   string // "cluster.initialMembers[2].ip"
	Reason string // "must be an IP address, not \"10.0.0\""

	// Needs are the other inputs that the fault was seen in. A problem is left
	// out at preview while its path or one of these is still unknown.
	Needs []string
	// Shallow is for a fault in what is there and how many, not in what it
	// contains: unknown values further down leave it standing.
	Shallow bool
	// Silent is for a reason that shows no value: nothing need be taken out of it.
	Silent bool
}

// By is the problem of a cluster's gate by inputs of the cluster: these have other paths, or none, and machines of the
// list have their addresses in libvirt or openstack, of one of them or of all.
func (p Problem) By(paths map[string]string, machines string) Problem {
	if path, is := paths[p.Path]; is {
		p.Path = path
	} else if Within(p.Path, machines) {
		p.Path = strings.TrimSuffix(p.Path, ".ip")
	}
	return p
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Reason
	}
	return p.Path + ": " + p.Reason
}

// Needing names the other inputs that the fault was seen in.
func (p *Problem) Needing(paths ...string) *Problem {
	p.Needs = append(p.Needs, paths...)
	return p
}

// Shape marks a fault in what is there, not in what it contains.
func (p *Problem) Shape() *Problem {
	p.Shallow = true
	return p
}

// Quiet marks a reason that shows no value, only paths. A secret that is a word of one, such as
// root, would be told by what is missing there.
func (p *Problem) Quiet() *Problem {
	p.Silent = true
	return p
}

// List is problems in the order they were found.
type List []Problem

// Add adds a problem. What it returns is to be used at once, before the next.
func (l *List) Add(path, format string, args ...any) *Problem {
	*l = append(*l, Problem{Path: path, Reason: fmt.Sprintf(format, args...)})
	return &(*l)[len(*l)-1]
}

// Once adds problems, but for those that are there already: what all machines of a
// cluster share is told of once.
func (l *List) Once(problems List) {
	for _, p := range problems {
		if !slices.ContainsFunc(*l, func(there Problem) bool { return there.String() == p.String() }) {
			*l = append(*l, p)
		}
	}
}

// First adds problems, but for those of a path that has one already: one machine of a
// cluster stands for the others.
func (l *List) First(problems List) {
	before := *l
	for _, p := range problems {
		if !slices.ContainsFunc(before, func(there Problem) bool { return there.Path == p.Path }) {
			*l = append(*l, p)
		}
	}
}

// Check adds what a rule returned, unless that is "".
func (l *List) Check(path, reason string) {
	if reason != "" {
		l.Add(path, "%s", reason)
	}
}

// Required adds a problem if value is zero or empty.
func (l *List) Required(path string, value any) {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	empty := !v.IsValid() || v.IsZero()
	if v.IsValid() && (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) {
		empty = v.Len() == 0
	}
	if empty {
		l.Add(path, "is required")
	}
}

// OneOf adds a problem if value is none of those allowed. It shows the value.
func (l *List) OneOf(path string, value any, allowed ...any) {
	words := make([]string, len(allowed))
	for i, a := range allowed {
		if a == value {
			return
		}
		words[i] = fmt.Sprint(a)
	}
	l.Add(path, "must be %s, not %s", Or(words), Quote(fmt.Sprint(value)))
}

// Under adds the problems of the input at prefix.
func (l *List) Under(prefix string, problems []Problem) {
	for _, p := range problems {
		needs := make([]string, len(p.Needs))
		for i, n := range p.Needs {
			needs[i] = Join(prefix, n)
		}
		p.Path, p.Needs = Join(prefix, p.Path), needs
		*l = append(*l, p)
	}
}

// Join puts one path under another: "a" and "b" make "a.b", "a" and "[2].b"
// make "a[2].b".
func Join(prefix, path string) string {
	if prefix == "" || path == "" || strings.HasPrefix(path, "[") {
		return prefix + path
	}
	return prefix + "." + path
}

// Within reports whether path is outer or lies under it.
func Within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (outer == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Or lists words: "a, b or c".
func Or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// On says in brackets where something is, if that is known.
func On(where string) string {
	if where == "" {
		return ""
	}
	return " (" + Visible(where) + ")"
}

// Visible is a text as it is, or in quotes if it has what is not seen, or would work upon the
// terminal that shows it: control characters, and spaces at its ends.
func Visible(s string) string {
	if strings.TrimSpace(s) == s && !strings.HasPrefix(s, `"`) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	return strconv.Quote(s)
}

// Quote shows a value on one line, shortened if it is long.
func Quote(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
