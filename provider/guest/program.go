package guest

import (
	"embed"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

//go:embed apply/quorum_apply/*.py
var modules embed.FS

// Apply is quorum-apply, the program that puts a State in place on a machine.
var Apply = Assemble(modules, "apply/quorum_apply")

// The beginning of a module: what it is for, and what it imports. And what its functions are for and
// comments, which are for readers here: OpenStack takes no more than 64 KiB of user data, of which this is half.
var (
	explained = regexp.MustCompile(`(?m)^( *)(?:def|class) .*:\n( *"""[^"]*"""\n)`)
	comments  = regexp.MustCompile(`(?m)^ *# .*\n|  # [^"'\n]*$`)
	settings  = regexp.MustCompile(`(?s)\n\nCONFIG is a JSON file.*?"""\n`) // the end of what a program says of itself
	docstring = regexp.MustCompile(`\A"""(?s:.*?)"""\n`)
	imports   = regexp.MustCompile(`(?m)^import .*\n`)
	ours      = regexp.MustCompile(`(?m)^from quorum_\w+\.(\w+) import .*\n`)
)

// stripped is a program of Python without what explains it to readers here.
func stripped(program string) string {
	var b strings.Builder
	done := 0
	for _, found := range explained.FindAllStringSubmatchIndex(program, -1) {
		b.WriteString(program[done:found[4]])
		rest := strings.TrimLeft(program[found[5]:], "\n")
		if depth := len(rest) - len(strings.TrimLeft(rest, " ")); depth <= found[3]-found[2] {
			b.WriteString(program[found[4]:found[5]]) // there is nothing else in it
		}
		done = found[5]
	}
	b.WriteString(program[done:])
	program = comments.ReplaceAllString(b.String(), "")
	if found := settings.FindStringIndex(program); found != nil {
		program = program[:found[0]] + "\n\"\"\"\n" + program[found[1]:]
	}
	return program
}

// Assemble puts the module main of a package of Python, and all that it imports of that, together into
// one program: a machine is handed one file. Each module comes once, after those that it imports.
func Assemble(files fs.FS, directory string) string {
	var body strings.Builder
	imported, done := map[string]bool{}, map[string]bool{}
	source := func(module string) string {
		text, err := fs.ReadFile(files, directory+"/"+module+".py")
		if err != nil {
			panic(err) // a module imports one that is not there: no build of this gets far
		}
		return string(text)
	}
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
		body.WriteString("\n\n# --- " + module + " ---\n\n" + strings.TrimSpace(stripped(text)) + "\n")
	}
	add("main")
	return "#!/usr/bin/python3\n" + docstring.FindString(source("main")) +
		strings.Join(slices.Sorted(maps.Keys(imported)), "") + body.String()
}
