package provider

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// boxed are services, where they are configured, and the exposure that systemd may find in them.
var boxed = []struct{ unit, state, most string }{
	{"etcd.service", "etcd-server/everything", "3.0"},
	{"etcd-auth.service", "etcd-server/signed", "3.0"},
	{"coredns.service", "coredns-server/everything", "3.0"},
	{"coredns-updater.service", "coredns-server/everything", "3.0"},
	{"haproxy.service", "postgres-load-balancer/minimal", "3.0"},
	{"keepalived.service", "postgres-load-balancer/virtual-ip", "3.5"},
	{"pgbouncer.service", "postgres-server/pooler", "3.0"},
	{"quorum-pgbouncer.service", "postgres-server/pooler", "3.0"},
	{"patroni.service", "postgres-server/everything", "4.5"},
	{"patroni-settings.service", "postgres-server/everything", "3.0"},
	{"patroni-rules.service", "postgres-server/everything", "3.0"},
	{"quorum-firewall.service", "etcd-server/everything", "3.0"},
	{"fluent-bit.service", "etcd-server/everything", "3.0"},
	{"fluent-bit-check.service", "etcd-server/everything", "3.0"},
	{"fluent-bit-config.service", "etcd-server/everything", "3.0"},
}

// TestBoxes has systemd say how exposed services are. What they really do in their boxes, tests
// on machines show.
func TestBoxes(t *testing.T) {
	t.Parallel()
	if *update {
		t.Skip("the states are being written")
	}
	for _, b := range boxed {
		t.Run(b.unit, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			put := func(path, content string) {
				require.NoError(t, os.MkdirAll(filepath.Dir(root+path), 0o755))
				require.NoError(t, os.WriteFile(root+path, []byte(content), 0o600))
			}
			packaged, err := os.ReadFile("/lib/systemd/system/" + b.unit)
			if err == nil {
				put("/lib/systemd/system/"+b.unit, string(packaged))
			}
			var state guest.State
			require.NoError(t, yaml.Unmarshal([]byte(read(t, filepath.Join("testdata", b.state, "state.yaml"))), &state))
			for _, f := range state.Files {
				if strings.HasPrefix(f.Path, "/etc/systemd/system/"+b.unit) {
					put(f.Path, f.Content)
				}
			}
			out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--no-pager", "--offline=true", "--root="+root,
				"--threshold="+strings.ReplaceAll(b.most, ".", ""), b.unit).CombinedOutput()
			assert.NoError(t, err, "%s", out)
			assert.Contains(t, string(out), "Overall exposure level for "+b.unit)
		})
	}
}
