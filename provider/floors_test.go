package provider

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers are the packages of this repository, what they import and what they may.
type layers struct {
	imports map[string][]string // of each package, those of this repository
	floors  [][]string          // of provider/, the top one first; "x/..." is x and what is in it
	uses    map[string][]string // neighbours that the list says
}

// floorsOfTests are the floors of test/.
var floorsOfTests = [][]string{{"test/suites/...", "test/machines/..."}, {"test/real/..."}, {"test/harness/..."}, {"test/fake/..."}}

var (
	item     = regexp.MustCompile(`(?m)^\d\. ((?:.+\n)(?:   .+\n)*)`)
	aside    = regexp.MustCompile("`([^`]+)` \\((?:it |`([^`]+)` )?uses ((?:`[^`]+`(?:, | and )?)+)[^)]*\\)")
	ticked   = regexp.MustCompile("`([^`]+)`")
	inParens = regexp.MustCompile(`\([^)]*\)`)
	listing  = regexp.MustCompile("(?s)## Layout\n\n```text\n(.*?)```")
)

func readLayers(t *testing.T) layers {
	h := layers{imports: importsBelow(t, "provider", "test"), uses: map[string][]string{}}
	_, list, found := strings.Cut(contributing(t), "holds each floor:\n\n")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n\n")
	for _, m := range item.FindAllStringSubmatch(list+"\n", -1) {
		for _, use := range aside.FindAllStringSubmatch(m[1], -1) {
			user := inProvider(use[1])
			if use[2] != "" {
				user = inProvider(use[2])
			}
			for _, name := range ticked.FindAllStringSubmatch(use[3], -1) {
				h.uses[user] = append(h.uses[user], inProvider(name[1]))
			}
		}
		var floor []string
		for _, name := range ticked.FindAllStringSubmatch(inParens.ReplaceAllString(m[1], ""), -1) {
			floor = append(floor, inProvider(name[1]))
		}
		h.floors = append(h.floors, floor)
	}
	require.Greater(t, len(h.floors), 5)
	for name := range h.imports {
		if strings.HasPrefix(name, "provider") {
			require.GreaterOrEqualf(t, floorOf(h.floors, name), 0, "%s is on no floor of CONTRIBUTING.md", name)
		}
	}
	return h
}

func inProvider(name string) string {
	if name == "provider" {
		return name
	}
	return "provider/" + name
}

// forbidden says why a package must not import another, or "".
func (h layers) forbidden(from, to string) string {
	switch inTest := strings.HasPrefix(from, "test/"); {
	case from == to:
	case inTest && strings.HasPrefix(to, "test/"):
		a, b := floorOf(floorsOfTests, from), floorOf(floorsOfTests, to)
		if a > b || a == b && strings.Split(from, "/")[1] != strings.Split(to, "/")[1] {
			return "is above it, or beside it"
		}
	case inTest: // whatever it tests
	case strings.HasPrefix(to, "test/"):
		return "is for tests"
	default:
		a, b := floorOf(h.floors, from), floorOf(h.floors, to)
		switch {
		case a > b:
			return "is above it"
		case a == b && !strings.HasPrefix(from, to+"/") && !slices.Contains(h.uses[from], to):
			return "is beside it"
		}
	}
	return ""
}

func floorOf(floors [][]string, name string) int {
	return slices.IndexFunc(floors, func(floor []string) bool {
		return slices.ContainsFunc(floor, func(of string) bool {
			folder, all := strings.CutSuffix(of, "/...")
			return name == of || all && (name == folder || strings.HasPrefix(name, folder+"/"))
		})
	})
}

// importsBelow are the packages in folders, and what the code of each imports of others
// in this repository, but for that of its tests.
func importsBelow(t *testing.T, folders ...string) map[string][]string {
	all := map[string][]string{}
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", folder), func(file string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || strings.Contains(file, "testdata") {
				return err
			}
			name, err := filepath.Rel("..", filepath.Dir(file))
			if err != nil {
				return err
			}
			all[name] = append(all[name], []string{}...)
			if strings.HasSuffix(file, "_test.go") {
				return nil
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, i := range parsed.Imports {
				to, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					return err
				}
				if to, ours := strings.CutPrefix(to, module); ours && !strings.HasPrefix(to, "sdk/") {
					all[name] = append(all[name], to)
				}
			}
			return nil
		}))
	}
	return all
}
