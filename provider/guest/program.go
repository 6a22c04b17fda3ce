package guest

import (
	"embed"
	"maps"
	"regexp"
	"slices"
	"strings"
)

//go:embed apply/quorum_apply/*.py
var modules embed.FS

// Apply is quorum-apply, the program that puts a State in place on a machine.
var Apply = assemble("main")

// The beginning of a module: what it is for, and what it imports. And what its functions are for and
// comments, which are for readers here: OpenStack takes no more than 64 KiB of user data, of which this is half.
var (
	explained = regexp.MustCompile(`(?m)^( *def .*:\n) *"""[^"]*"""\n`)
	comments  = regexp.MustCompile(`(?m)^ +# .*\n|  # [^"'\n]*$`)
	docstring = regexp.MustCompile(`\A"""(?s:.*?)"""\n`)
	imports   = regexp.MustCompile(`(?m)^import .*\n`)
	ours      = regexp.MustCompile(`(?m)^from quorum_apply\.(\w+) import .*\n`)
)

// assemble puts a module and all that it imports together into one program: a machine is
// handed one file. Each module comes once, after those that it imports.
func assemble(main string) string {
	var body strings.Builder
	imported, done := map[string]bool{}, map[string]bool{}
	var add func(module string)
	add = func(module string) {
		if done[module] {
			return
		}
		done[module] = true
		text := source(module)
		for _, needed := range ours.FindAllStringSubmatch(text, -1) {
			add(needed[1])
		}
		for _, line := range imports.FindAllString(text, -1) {
			imported[line] = true
		}
		for _, beginning := range []*regexp.Regexp{docstring, imports, ours} {
			text = beginning.ReplaceAllString(text, "")
		}
		text = comments.ReplaceAllString(explained.ReplaceAllString(text, "$1"), "")
		body.WriteString("\n\n# --- " + module + " ---\n\n" + strings.TrimSpace(text) + "\n")
	}
	add(main)
	return "#!/usr/bin/python3\n" + docstring.FindString(source(main)) +
		strings.Join(slices.Sorted(maps.Keys(imported)), "") + body.String()
}

func source(module string) string {
	text, err := modules.ReadFile("apply/quorum_apply/" + module + ".py")
	if err != nil {
		panic(err) // a module imports one that is not there: no build of this gets far
	}
	return string(text)
}
