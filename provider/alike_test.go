package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAlike says of each machine, at length, what a case says of all once: the same comes of it.
func TestAlike(t *testing.T) {
	t.Parallel()
	for _, c := range clusters {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(filepath.Join("testdata", c.folder, "alike", "long.yaml"))
			require.NoError(t, err)
			w := newWire(t)
			for _, preview := range []bool{true, false} {
				short := w.construct(t, c, c.inputs(t, "alike"), preview)
				require.NoError(t, short.err)
				long := w.construct(t, c, merge(c.inputs(t, c.base), readInputs(t, string(b))), preview)
				require.NoError(t, long.err)
				assert.ElementsMatch(t, long.messages, short.messages)
				assert.Equal(t, long.outputs, short.outputs)
				assert.Len(t, short.children, len(long.children))
				for name, in := range long.children {
					if strings.Contains(name, "ClusterChange") { // it shows what is written
						continue
					}
					assert.Truef(t, in.DeepEquals(short.children[name]), "%s: %v", name, short.children[name])
				}
			}
		})
	}
}
