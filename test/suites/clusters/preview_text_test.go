package clusters

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

var update = flag.Bool("update", false, "rewrite the texts of previews in testdata")

// reads compares all that a preview tells a person with a file, whatever the addresses of this run are.
func reads(t *testing.T, name, subnet string, preview engine.Result) {
	t.Helper()
	isAsIn(t, name+".txt", strings.ReplaceAll(preview.Diagnostics, subnet+".", "192.0.2."))
	for line := range strings.Lines(preview.Diagnostics) {
		assert.Contains(t, preview.Stdout+preview.Stderr, strings.TrimSpace(line), "%s: a person reads it", name)
	}
}

// shows compares what a preview with --diff shows of the resources with a file: by their names, for
// the order of some is not the same each time, and whatever their ids are.
func shows(t *testing.T, name, subnet string, preview engine.Result) {
	t.Helper()
	named, begins := regexp.MustCompile(`(?m)\n +\[id=.*\n +\[urn=.*::(.*)\]\n +\[provider=.*\n`), regexp.MustCompile(`(?m)^    [~+-][ -]`)
	id := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{7,8}\b`)
	said, _, _ := strings.Cut(named.ReplaceAllString(preview.Stdout, " $1\n"), "Resources:\n")
	var blocks []string
	for i, starts := 0, begins.FindAllStringIndex(said, -1); i < len(starts); i++ {
		end := len(said)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		blocks = append(blocks, id.ReplaceAllString(said[starts[i][0]:end], "ID"))
	}
	slices.SortFunc(blocks, func(a, b string) int {
		return strings.Compare(strings.SplitN(a, ") ", 2)[1], strings.SplitN(b, ") ", 2)[1])
	})
	isAsIn(t, name+".diff", strings.ReplaceAll(strings.Join(blocks, ""), subnet+".", "192.0.2."))
}

// isAsIn compares a text with a file.
func isAsIn(t *testing.T, name, said string) {
	t.Helper()
	file := filepath.Join("testdata", "previews", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(said), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run go test with -update once")
	assert.Equal(t, string(want), said, "-update rewrites %s", file)
}
