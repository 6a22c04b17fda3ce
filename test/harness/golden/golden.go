// Package golden has what the cases of provider/testdata give.
package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// Files are, for each case of a component, the contents of its machine's files by path.
func Files(t testing.TB, component string) map[string]map[string]string {
	t.Helper()
	states, err := filepath.Glob(filepath.Join(engine.Root(), "provider", "testdata", component, "*", "state.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, states)
	cases := map[string]map[string]string{}
	for _, state := range states {
		b, err := os.ReadFile(state)
		require.NoError(t, err)
		var golden struct {
			Files []struct{ Path, Content string }
		}
		require.NoError(t, yaml.Unmarshal(b, &golden))
		files := map[string]string{}
		for _, file := range golden.Files {
			files[file.Path] = file.Content
		}
		cases[filepath.Base(filepath.Dir(state))] = files
	}
	return cases
}
