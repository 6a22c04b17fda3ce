package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ExactlyOne adds a problem unless one, and one only, of two inputs under
// prefix is given.
func (l *List) ExactlyOne(prefix, a string, hasA bool, b string, hasB bool) {
	switch {
	case hasA && hasB:
		l.Add(Join(prefix, b), "must not be given together with %s", a).Shape().Needing(Join(prefix, a))
	case !hasA && !hasB:
		l.Add(Join(prefix, a), "is required, or %s", b).Shape().Needing(Join(prefix, b))
	}
}

// Together adds a problem if one of two inputs under prefix is given without
// the other.
func (l *List) Together(prefix, a string, hasA bool, b string, hasB bool) {
	switch {
	case hasA && !hasB:
		l.Add(Join(prefix, b), "is required with %s", a).Shape().Needing(Join(prefix, a))
	case hasB && !hasA:
		l.Add(Join(prefix, a), "is required with %s", b).Shape().Needing(Join(prefix, b))
	}
}

// Distinct adds a problem for each value that an earlier one equals: of addresses, in
// whatever form. Empty ones do not count. The paths are those of the values.
func (l *List) Distinct(paths, values []string) {
	first := map[string]string{}
	for i, value := range values {
		if value == "" {
			continue
		}
		same := plain(value)
		if other, seen := first[same]; seen {
			l.Add(paths[i], "must differ from %s: both are %s", other, Quote(value)).Needing(other)
			continue
		}
		first[same] = paths[i]
	}
}

// Each are the paths of a field in each element of a list.
func Each(list string, n int, field string) []string {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = Join(Index(list, i), field)
	}
	return paths
}

// Index is the path of an element of a list.
func Index(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// Pair adds what is wrong with a certificate and its key.
func (l *List) Pair(cert, key PEM) {
	chain, reason := Certificates(cert.Text)
	l.Check(cert.Path, reason)
	signer, wrong := PrivateKey(key.Text)
	l.Check(key.Path, wrong)
	if reason == "" && wrong == "" {
		l.Check(cert.Path, strong(chain...))
		if reason := KeyMatches(chain[0], signer); reason != "" {
			l.Add(key.Path, "%s", reason).Needing(cert.Path)
		}
	}
}

// OfEach adds the problems of each of these machines, by their paths and names, once. One of an
// input that all have names the machines that it was seen in, unless these are all.
func (l *List) OfEach(paths, names []string, problems []List) {
	var all List
	having := map[string][]string{} // machines, by what is said
	for i, of := range problems {
		var one List
		one.Once(of)
		for _, p := range one {
			having[p.String()] = append(having[p.String()], cmp.Or(Visible(names[i]), paths[i]))
		}
		all.Once(one)
	}
	for _, p := range all {
		own := slices.ContainsFunc(paths, func(path string) bool { return Within(p.Path, path) })
		if some := having[p.String()]; !own && len(some) < len(problems) {
			p.Reason += " (for " + strings.Join(some, ", ") + ")"
		}
		l.Once(List{p})
	}
}
