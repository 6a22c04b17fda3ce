package coredns

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestZones has the zone checker, by CoreDNS, judge the files of its testdata:
// those in bad say in the first line what it must find.
func TestZones(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(engine.Root(), home, "testdata", "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		verdict := filepath.Base(filepath.Dir(file))
		t.Run(verdict+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(filepath.Join(engine.Root(), home, "check-zone"), "example.org", file, "/nowhere")
			cmd.Env = append(os.Environ(), "COREDNS="+corednsPath(t))
			said, err := cmd.CombinedOutput()
			if verdict == "good" {
				require.NoError(t, err, string(said))
				require.Empty(t, string(said))
				return
			}
			text, readErr := os.ReadFile(file)
			require.NoError(t, readErr)
			first, _, _ := strings.Cut(string(text), "\n")
			want, found := strings.CutPrefix(first, "; want: ")
			require.True(t, found, "the first line says what is wanted")
			require.Error(t, err)
			require.Contains(t, string(said), want)
		})
	}
}
