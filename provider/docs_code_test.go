package provider

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var block = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// TestCodeInDocs holds blocks of code against what is run: those of a language
// are part of an example, and those without one are commands that bash can read.
// Machines tell the metrics of queries. YAML is previewed elsewhere. A text, a diagram and what a console shows are no
// code.
func TestCodeInDocs(t *testing.T) {
	t.Parallel()
	root := filepath.Join(docs, "..")
	files := append(pages(t), filepath.Join(root, "CONTRIBUTING.md"), filepath.Join(root, "sdk", "README.md"),
		filepath.Join(root, "examples", "platform", "README.md"))
	examples := sources(t, filepath.Join(root, "examples"), regexp.MustCompile(`\.(go|ts|py|js|java)$`).MatchString)
	programs := sources(t, ".", func(path string) bool { return strings.HasSuffix(path, ".py") })
	for _, file := range files {
		for _, m := range block.FindAllStringSubmatch(read(t, file), -1) {
			switch language, code := m[1], m[2]; language {
			case "go", "typescript", "javascript", "python", "java":
				assert.Containsf(t, examples, code, "%s: %s of no example", file, language)
			case "":
				bash := exec.Command("bash", "-n")
				bash.Stdin = strings.NewReader(code)
				out, err := bash.CombinedOutput()
				assert.NoErrorf(t, err, "%s: %s\n%s", file, code, out)
			case "promql":
				for _, name := range metric.FindAllStringSubmatch(code, -1) {
					assert.Containsf(t, programs, `"`+name[1], "%s: a metric that no machine tells", file)
				}
			case "yaml", "text", "console", "mermaid":
			default:
				assert.Failf(t, "unknown language", "%s: %s", file, language)
			}
		}
	}
}

var metric = regexp.MustCompile(`quorum_backup_(\w+)`)

var quoted = regexp.MustCompile("(?m)^\\| `([^`]+)`")

// TestErrorsInDocs finds the texts that troubleshooting explains in the code.
func TestErrorsInDocs(t *testing.T) {
	t.Parallel()
	code := sources(t, ".", func(path string) bool {
		own := filepath.Base(filepath.Dir(path)) == "quorum_apply" || slices.Contains([]string{"wait-for-clock", "etcd-auth"}, filepath.Base(path))
		return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") || own
	})
	_, errors, found := strings.Cut(read(t, filepath.Join(docs, "troubleshooting.md")), "## Preview refuses")
	require.True(t, found)
	texts := quoted.FindAllStringSubmatch(errors, -1)
	require.Greater(t, len(texts), 30)
	for _, text := range texts {
		for part := range strings.SplitSeq(text[1], "…") {
			assert.Containsf(t, code, strings.TrimSpace(part), "of %q", text[1])
		}
	}
}

// TestRowsInDocs requires a test for each situation that a page has a cure for: one
// of its name, or one that the row names.
func TestRowsInDocs(t *testing.T) {
	t.Parallel()
	isTest := func(path string) bool { return strings.HasSuffix(path, "_test.go") }
	tests := sources(t, filepath.Join(docs, "..", "test", "suites", "clusters"), isTest) + sources(t, "postgres", isTest)
	byName := map[string]string{"The root password is half changed": "TestRootPasswordHalfChanged"}
	for _, page := range []string{"clusters.md", "postgres-cluster.md"} {
		_, rows, found := strings.Cut(read(t, filepath.Join(docs, page)), "| situation | what one sees | what one does | how it ends |\n|---|---|---|---|\n")
		require.True(t, found)
		rows, _, _ = strings.Cut(rows, "\n\n")
		for row := range strings.SplitSeq(rows, "\n") {
			situation := strings.TrimSpace(strings.Split(row, "|")[1])
			named := testName.FindString(row + byName[situation])
			exists := named != "" && strings.Contains(tests, "func "+named+"(")
			for _, name := range caseName.FindAllStringSubmatch(tests, -1) {
				exists = exists || strings.HasPrefix(situation, name[1])
			}
			assert.Truef(t, exists, "%s: no test of %q", page, situation)
		}
	}
}

var (
	testName = regexp.MustCompile(`Test[A-Z]\w+`)
	caseName = regexp.MustCompile(`(?m)^\t\t\{?"([^"]{10,})"[:,] `) // of a table of tests
)

// sources are the files below dir that are wanted.
func sources(t *testing.T, dir string, is func(path string) bool) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); entry.IsDir() && (name == "node_modules" || name == "venv" || name == "testdata") {
			return filepath.SkipDir
		}
		if !entry.IsDir() && is(path) {
			all.WriteString(read(t, path))
		}
		return err
	}))
	return all.String()
}
