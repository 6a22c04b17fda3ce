package fromterraform

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// report says what is to be done, to standard error: the program may be on the way to a file.
func report(say io.Writer, made Program, o options) {
	p := func(format string, args ...any) { fmt.Fprintln(say, line(fmt.Sprintf(format, args...))) }
	if o.out != "" {
		p("Written: %s", filepath.Join(o.out, "Pulumi.yaml"))
	}
	var here, missing, plain []Secret
	for _, s := range made.Secrets {
		switch {
		case s.Plain:
			plain = append(plain, s)
		case s.Value == "":
			missing = append(missing, s)
		default:
			here = append(here, s)
		}
	}
	list := func(title string, all []Secret) {
		if len(all) > 0 {
			p("")
			p("%s", title)
			for _, s := range all {
				p("  %s: %s", s.Key, s.What)
				p("    %s", s.From)
			}
		}
	}
	list("Secrets of the stack that are in the state, and that --set-config sets:", here)
	list("Secrets of the stack that are not, and that you have to set:", missing)
	list("Settings of the stack that you have to set:", plain)
	texts := func(title string, all []string) {
		if len(all) > 0 {
			p("")
			p("%s", title)
			for _, each := range all {
				p("  %s", each)
			}
		}
	}
	texts("Could not be read:", made.Problems)
	texts("Not taken over, and Terraform's for good or yours to remove:", made.Ignored)

	p("")
	p("Read the comments of the program: what could not be read stands in its place. Then:")
	if o.out == "" {
		p("  # in a directory of its own, with the program as Pulumi.yaml: --out DIR makes both")
	} else {
		p("  cd %s", quoted(o.out))
	}
	p("  pulumi stack init prod")
	path, self := itself()
	if path != "" {
		p("  export PATH=%s:\"$PATH\"", quoted(path))
	}
	if here != nil {
		p("  %s from-terraform --set-config %s", self, o.again())
	}
	if len(missing)+len(plain) > 0 {
		p("with values and files of yours:")
	}
	for _, s := range plain {
		example := s.Example
		if !strings.HasPrefix(example, `"$(`) {
			example = quoted(example)
		}
		p("  pulumi config set %s %s", s.Key, example)
	}
	for _, s := range missing {
		p("  pulumi config set --secret %s < %s.txt", s.Key, s.Key)
	}
	p("and then:")
	p("  pulumi preview")
}

// again are the same states, wherever one is.
func (o options) again() string {
	var all []string
	for _, name := range o.states {
		if name == "-" {
			all = append(all, "- < STATE")
			continue
		}
		if whole, err := filepath.Abs(name); err == nil {
			name = whole
		}
		all = append(all, quoted(name))
	}
	return strings.Join(all, " ")
}

// itself is how this program is called, and what the PATH has to have for that, and for
// Pulumi to find it.
func itself() (path, command string) {
	const name = "pulumi-resource-quorum"
	is, err := os.Executable()
	if err != nil {
		return "", name
	}
	if found, err := exec.LookPath(name); err == nil && sameFile(found, is) {
		return "", name
	}
	if strings.HasPrefix(filepath.Base(filepath.Dir(is)), "resource-quorum-") { // one of Pulumi's plugins, that it finds
		return "", quoted(is)
	}
	return filepath.Dir(is), name
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, bad := os.Stat(b)
	return err == nil && bad == nil && os.SameFile(one, other)
}

// quoted is a word of a shell.
func quoted(s string) string {
	if check.Matches(`[A-Za-z0-9_@%+=:,./-]+`, s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
