package etcdjoin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestAuth has a machine turn authentication on, and the one that is rebuilt
// in its place find it on.
func TestAuth(t *testing.T) {
	t.Parallel()
	m := machines(t, 1)[0]
	m.start(t)
	m.serves(t)
	program, err := os.ReadFile(filepath.Join(engine.Root(), "provider", "etcd", "config", "etcd-auth"))
	require.NoError(t, err)
	here := strings.NewReplacer("/etc/etcd/", m.root+"/etc/etcd/", "127.0.0.1:2379", m.ip+":"+m.client)
	for _, machine := range []string{"the first", "the second"} {
		out, err := exec.CommandContext(within(t, 30), "sh", "-c", here.Replace(string(program))).CombinedOutput()
		require.NoError(t, err, "%s says: %s", machine, out)
		assert.Contains(t, string(out), "authentication is enabled", machine)
	}
}
