package clusters

import (
	"flag"
	"os"
	"path/filepath"
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
	file, said := filepath.Join("testdata", "previews", name+".txt"), strings.ReplaceAll(preview.Diagnostics, subnet+".", "192.0.2.")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(said), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run go test with -update once")
	assert.Equal(t, string(want), said, "-update rewrites %s", file)
	for line := range strings.Lines(preview.Diagnostics) {
		assert.Contains(t, preview.Stdout+preview.Stderr, strings.TrimSpace(line), "%s: a person reads it", name)
	}
}
