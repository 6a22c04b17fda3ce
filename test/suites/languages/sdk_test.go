package languages

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestSDK compares the SDKs that are committed with what the CLI writes of the plugin itself.
func TestSDK(t *testing.T) {
	t.Parallel()
	built, err := engine.Quorum.Program()
	require.NoError(t, err)
	for _, language := range []string{"go", "nodejs", "python"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Program: "resources: {}"})
			s.Hosts()
			out := t.TempDir()
			_, stderr, err := s.Run("package", "gen-sdk", built, "--language", language, "--version", version.String(), "--out", out)
			require.NoError(t, err, stderr)
			want := files(t, filepath.Join(out, language))
			require.NotEmpty(t, want)
			got := files(t, filepath.Join(engine.Root(), "sdk", language))
			for name, text := range want {
				assert.Equal(t, text, got[name], name)
			}
			for name := range got {
				assert.Contains(t, want, name)
			}
		})
	}
	plugin := filepath.Join(engine.Root(), "sdk", "go", "quorum", "pulumi-plugin.json")
	text, err := os.ReadFile(plugin)
	require.NoError(t, err)
	root, err := os.ReadFile(filepath.Join(engine.Root(), "pulumi-plugin.json"))
	require.NoError(t, err)
	assert.Equal(t, string(text), string(root))
}

// TestVersions has the CLI, the generators of SDKs and the SDK that the provider uses be of one release.
func TestVersions(t *testing.T) {
	t.Parallel()
	module := regexp.MustCompile(`pulumi/pulumi/(?:pkg|sdk)/v3 (v\S+)`)
	versions := map[string]bool{}
	for _, dir := range []string{".", "examples/go", "tools/cli", "tools/languages"} {
		text, err := os.ReadFile(filepath.Join(engine.Root(), dir, "go.mod"))
		require.NoError(t, err)
		found := module.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, found, dir)
		for _, match := range found {
			versions[match[1]] = true
		}
	}
	assert.Len(t, versions, 1)
}

// files are what is generated in a folder: not what a build leaves there, nor the texts that are
// put beside.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch base := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir():
			if base == "bin" || base == "node_modules" || base == "build" || strings.HasSuffix(base, ".egg-info") || base == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		case base == "README.md", base == "LICENSE", base == "package-lock.json":
			return nil
		}
		text, err := os.ReadFile(path)
		found[name] = string(text)
		return err
	}))
	return found
}
