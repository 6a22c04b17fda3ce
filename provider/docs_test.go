package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	docs        = "../docs"
	machinePage = "machine.md" // has the inputs that several servers have alike
)

// table is what a page has between two comments: all inputs or outputs of a
// resource, or those below one of its inputs.
var (
	table   = regexp.MustCompile(`(?s)(<!-- from the schema: (\w+) (inputs|outputs)(?: (\w+))? -->\n).*?(<!-- end -->)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	// fallback is the sentence of a description that says what holds without the input.
	fallback = regexp.MustCompile(`^(.*?) ?Defaults to (.+)\.$`)
)

// TestDocs compares the tables of docs with the schema.
func TestDocs(t *testing.T) {
	t.Parallel()
	r := newReference(t)
	has := map[string]bool{}
	for _, file := range pages(t) {
		text := table.ReplaceAllStringFunc(read(t, file), func(old string) string {
			m := table.FindStringSubmatch(old)
			has[m[2]+" "+m[3]] = true
			return m[1] + r.table(m[2], m[3], m[4]) + m[5]
		})
		golden(t, file, text)
	}
	for _, c := range slices.Concat(components, clusters, customs, guards, []component{securityGroups}) {
		require.True(t, has[c.kind+" inputs"] && has[c.kind+" outputs"], "%s is in no page", c.kind)
	}
	for token := range r.Functions {
		name := strings.TrimPrefix(token, "quorum:index:")
		require.True(t, has[name+" inputs"] && has[name+" outputs"], "%s is in no page", name)
	}
}

func pages(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(docs, "*.md"))
	require.NoError(t, err)
	return append(files, filepath.Join(docs, "..", "README.md"))
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}
