package change

import (
	"maps"
	"slices"
	"strings"
)

// Follows is in the paths of what is no setting and follows from them: "follows.NAME", "nodes[NAME].follows.NAME".
const Follows = "follows."

// doesFollow is true also of all of it together, which is not known yet.
func doesFollow(path string) bool {
	path += "."
	return strings.HasPrefix(path, Follows) || strings.Contains(path, "]."+Follows)
}

// withoutFollowing are the settings themselves.
func (s settings) withoutFollowing() settings {
	plain := maps.Clone(s.plain)
	maps.DeleteFunc(plain, func(path, _ string) bool { return doesFollow(path) })
	return settings{plain, s.secret}
}

// following are the lines of what follows, of what is known before and now: an earlier release kept none of it.
func following(before, now settings, lists map[string][]string) (lines []string) {
	was, is := settings{plain: map[string]string{}}, settings{plain: map[string]string{}}
	for path, text := range now.plain {
		if old := before.plain[path]; doesFollow(path) && old != "" && text != "" {
			was.plain[path], is.plain[path] = old, text
		}
	}
	for _, line := range tell(was, is, lists) {
		path, rest, _ := strings.Cut(line, Follows)
		if path = strings.TrimSuffix(path, "."); path != "" && !strings.HasSuffix(path, "[*]") {
			rest = path + ": " + rest
		}
		lines = append(lines, rest)
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Count(a, "]") - strings.Count(b, "]") })
	return lines
}

// follow says what follows from other settings.
func (t *telling) follow(d differ, when tense) {
	if len(d.following) > 0 {
		t.add(1, when.of("what follows from the machine, and is not given, changes with it:", "what follows from the machine, and is not given, changed with it:"))
		t.add(2, atMost(mostSettings, d.following)...)
	}
}
