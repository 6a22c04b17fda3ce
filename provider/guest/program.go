package guest

import (
	"embed"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed apply/quorum_apply/*.py backup/quorum_backup/*.py
var modules embed.FS

// Apply is quorum-apply, the program that puts a State in place on a machine.
var Apply = sync.OnceValue(func() string { return dense(Assemble(Modules(modules, "apply/quorum_apply"))) })

// Backup has the modules of quorum-backup that are the same whatever it is that is backed up.
var Backup = Modules(modules, "backup/quorum_backup")

const shebang = "#!/usr/bin/python3\n"

// Modules are those in a directory.
func Modules(files fs.FS, directory string) fs.FS {
	found, err := fs.Sub(files, directory)
	if err != nil {
		panic(err) // the name is one that embed took
	}
	return found
}

// The beginning of a module: what it is for, and what it imports. And what its functions are for and
// comments, which are for readers here: OpenStack takes no more than 64 KiB of user data, of which this is half.
var (
	explained = regexp.MustCompile(`(?m)^( *)(?:def|class) .*:\n( *"""[^"]*"""\n)`)
	comments  = regexp.MustCompile(`(?m)^ *# .*\n|  # [^"'\n]*$`)
	settings  = regexp.MustCompile(`(?s)\n\nCONFIG is a JSON file.*?"""\n`) // the end of what a program says of itself
	remarks   = regexp.MustCompile(`(?m)^[ \t]*#( .*)?\n`)
	indent    = regexp.MustCompile(`(?m)^(?: {4})+`)
	blank     = regexp.MustCompile(`\n{2,}`)
	docstring = regexp.MustCompile(`\A"""(?s:.*?)"""\n`)
	imports   = regexp.MustCompile(`(?m)^import .*\n`)
	defined   = regexp.MustCompile(`(?m)^(?:(?:def|class) (\w+)|(\w+(?:, \w+)*) =)`)
	literal   = regexp.MustCompile(`(?s)""".*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`)
	before    = regexp.MustCompile(`(^|\S) ([=+\-*/%<>!&|^,:;()\[\]{}@])`)
	after     = regexp.MustCompile(`([=+\-*/%<>!&|^,:;()\[\]{}@]) (\S|$)`)
	ours      = regexp.MustCompile(`(?m)^from quorum_\w+\.(\w+) import .*\n`)
)

// Terse is a unit or a script without its comments.
func Terse(text string) string { return remarks.ReplaceAllString(text, "") }

// handed is a program of Python as a machine is handed it. There are few of them, and each has many machines.
func handed(program string) string {
	made, _ := programs.LoadOrStore(program, sync.OnceValue(func() string { return dense(stripped(program)) }))
	return made.(func() string)()
}

var programs sync.Map // by what they are made of

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

// dense is a program of Python with narrow indents, without empty lines and the spaces around operators, and with
// quotes that JSON does not escape. It is for once only.
func dense(program string) string {
	program, found := strings.CutPrefix(program, shebang)
	var b strings.Builder
	if found {
		b.WriteString(shebang)
	}
	code := func(text string) {
		text = indent.ReplaceAllStringFunc(text, func(spaces string) string { return strings.Repeat(" ", len(spaces)/4) })
		text = blank.ReplaceAllString(text, "\n")
		b.WriteString(after.ReplaceAllString(before.ReplaceAllString(text, "$1$2"), "$1$2"))
	}
	done := 0
	for _, found := range literal.FindAllStringIndex(program, -1) {
		code(program[done:found[0]])
		b.WriteString(singleQuoted(program[found[0]:found[1]]))
		done = found[1]
	}
	code(program[done:])
	return b.String()
}

// singleQuoted is a literal of Python between single quotes, if it means the same.
func singleQuoted(literal string) string {
	if text, is := strings.CutPrefix(literal, `"`); is && !strings.HasPrefix(text, `""`) && !strings.Contains(text, `'`) && !strings.Contains(text, `\"`) {
		return "'" + strings.TrimSuffix(text, `"`) + "'"
	}
	return literal
}

// Assemble puts the module main of a package of Python, and all that it imports of that, together into
// one program: a machine is handed one file. Each module comes once, after those that it imports, from
// the first place that has it. In one program a name means one thing: two modules that define it are refused.
func Assemble(places ...fs.FS) string {
	var body strings.Builder
	imported, done, definedBy := map[string]bool{}, map[string]bool{}, map[string]string{}
	source := func(module string) string {
		for _, place := range places {
			if text, err := fs.ReadFile(place, module+".py"); err == nil {
				return string(text)
			}
		}
		panic("a module imports " + module + ", which is not there") // no build of this gets far
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
		for _, found := range defined.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(found[1]+found[2], ", ") {
				if other, has := definedBy[name]; has && other != module {
					panic(module + " and " + other + " both define " + name)
				}
				definedBy[name] = module
			}
		}
		body.WriteString("\n\n" + strings.TrimSpace(stripped(text)) + "\n")
	}
	add("main")
	return shebang + docstring.FindString(source("main")) +
		strings.Join(slices.Sorted(maps.Keys(imported)), "") + body.String()
}
