package provider

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDoubtfulInputs takes each file in the folder doubtful of a resource's testdata, laid
// over the minimal inputs, with just the warnings that it has lines for.
func TestDoubtfulInputs(t *testing.T) {
	t.Parallel()
	for _, c := range everything {
		files, err := filepath.Glob(filepath.Join("testdata", c.folder, "doubtful", "*.yaml"))
		require.NoError(t, err)
		for _, file := range files {
			t.Run(c.kind+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
				t.Parallel()
				c.testDoubtful(t, file)
			})
		}
	}
}

func (c component) testDoubtful(t *testing.T, file string) {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	want := linesAfter(string(b), "# warn: ")
	in, w, spec := merge(c.inputs(t, c.base), readInputs(t, string(b))), newWire(t), c.schema(t)
	for _, preview := range []bool{true, false} {
		if c.isCustom() && !preview {
			continue // an update asks its machines
		}
		made := w.plan(t, c, in, preview)
		require.NoError(t, made.err)
		slices.Sort(made.messages)
		if *update && !slices.Equal(want, made.messages) {
			require.NoError(t, os.WriteFile(file, []byte(withLines(string(b), "# warn: ", made.messages)), 0o600))
			want = made.messages
		}
		require.NotEmpty(t, want, "it warns of nothing")
		assert.Equal(t, strings.Join(want, "\n"), strings.Join(made.messages, "\n"))
		for _, message := range made.messages {
			if path, _, is := strings.Cut(message, ": "); is && !strings.Contains(path, " ") {
				assert.Truef(t, isInput(spec, path), "%s is no path of the schema", path)
			}
		}
	}
}

// linesAfter are what the lines with a prefix have after it, sorted.
func linesAfter(text, prefix string) (all []string) {
	for line := range strings.Lines(text) {
		if rest, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prefix); is {
			all = append(all, rest)
		}
	}
	slices.Sort(all)
	return all
}
