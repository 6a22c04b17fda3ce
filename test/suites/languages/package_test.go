package languages

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestPackageAdd makes the SDK of a project from the plugin, as built and from
// its source. With it, YAML is checked for types.
func TestPackageAdd(t *testing.T) {
	t.Parallel()
	built, err := engine.Quorum.Program()
	require.NoError(t, err)
	for name, plugin := range map[string]string{
		"built":  built,
		"source": filepath.Join(engine.Root(), "provider", "cmd", "pulumi-resource-quorum"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Program: "resources: {role: {type: quorum:EtcdRole, properties: {name: zones}}}"})
			s.Hosts()
			_, stderr, err := s.Run("package", "add", plugin)
			require.NoError(t, err, stderr)
			sdk, err := filepath.Glob(filepath.Join(s.Dir(), "sdks", "quorum", "quorum-*.yaml"))
			require.NoError(t, err)
			assert.Len(t, sdk, 1)
			assert.Contains(t, s.PreviewFails().Diagnostics, "etcd: Missing required property 'etcd'")
		})
	}
}
