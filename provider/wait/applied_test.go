package wait_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// exporter serves metrics where a machine does, on an address of its own.
func exporter(t *testing.T, ip, metrics string) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(ip, "9100"))
	require.NoError(t, err)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/metrics", r.URL.Path)
		assert.Equal(t, []string{"textfile", "time"}, r.URL.Query()["collect[]"])
		fmt.Fprint(w, metrics)
	}))
	require.NoError(t, s.Listener.Close())
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
}

// info is what quorum-apply writes, as the node exporter serves it among others.
func info(generation, outcome, more string) string {
	return fmt.Sprintf(`node_load1 0.5
# HELP quorum_apply_info Metric read from /var/lib/prometheus/node-exporter/quorum.prom
# TYPE quorum_apply_info untyped
quorum_apply_info{generation="%s",outcome="%s"%s} 1
# HELP quorum_apply_success Metric read from /var/lib/prometheus/node-exporter/quorum.prom
# TYPE quorum_apply_success untyped
quorum_apply_success 0
`, generation, outcome, more)
}

func TestApplied(t *testing.T) {
	t.Parallel()
	for ip, c := range map[string]struct{ metrics, missing, err string }{
		"127.77.0.1": {info("g2", "done", ""), "", ""},
		"127.77.0.2": {info("g1", "done", ""), "it has not applied its new configuration yet", ""},
		"127.77.0.3": {info("g1", "rolled back", `,reason="another"`), "it has not applied its new configuration yet", ""},
		"127.77.0.4": {
			info("g2", "rolled back", `,reason="haproxy.service: haproxy refuses it\nunknown keyword \"a\\n\""`), "",
			"it could not apply its new configuration (rolled back): haproxy.service: haproxy refuses it\nunknown keyword \"a\\n\"\nSee `journalctl -u quorum-apply` on 127.77.0.4",
		},
		"127.77.0.9": {
			info("g1", "done", "") + `quorum_backup_failure{of="restore",reason="S3: \"NoSuchBucket\""} 1` + "\n",
			`it has not applied its new configuration yet; a restore fails, and is tried again: S3: "NoSuchBucket"`, "",
		},
		"127.77.0.10": {
			info("g1", "done", "") + `quorum_backup_failure{of="restore",reason="there is no backup",again="false"} 1` + "\n",
			"it has not applied its new configuration yet; a restore fails, and can succeed only once something is changed: there is no backup", "",
		},
		"127.77.0.11": {
			"node_load1 0.5\n" + `quorum_backup_restoring{stanza="main-1",target="to the time 2026-11-28 08:48:30+00:00",attempt="1"} 1` + "\n",
			"restores main-1 to the time 2026-11-28 08:48:30+00:00", "",
		},
		"127.77.0.12": {
			info("g1", "done", "") + `quorum_backup_restoring{stanza="main-1",target="to the end of its WAL",attempt="2"} 1` + "\n" + `quorum_backup_failure{of="restore",reason="S3: refused",again="true"} 1` + "\n",
			"restores main-1 to the end of its WAL, attempt 2: `journalctl -u patroni` there says why the last one failed; a restore fails, and is tried again: S3: refused", "",
		},
		"127.77.0.5": {"node_load1 0.5\n", "it has not applied any configuration yet", ""},
		"127.77.0.8": {
			info("", "failed", `,reason="the state is for the machine etcd-2, and this is etcd-1\nsda: no"`),
			"it could not read its cloud-init drive yet: the state is for the machine etcd-2, and this is etcd-1; sda: no", "",
		},
		"127.77.0.6": {"", "it has not applied any configuration yet", ""},
	} {
		t.Run(ip, func(t *testing.T) {
			t.Parallel()
			exporter(t, ip, c.metrics)
			missing, err := wait.Applied(t.Context(), ip, "g2")
			assert.Equal(t, c.missing, missing)
			if c.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.err)
			}
		})
	}
}

func TestAppliedWithoutAnswer(t *testing.T) {
	t.Parallel()
	missing, err := wait.Applied(t.Context(), "127.77.0.7", "g2")
	require.NoError(t, err)
	assert.Equal(t, "its node exporter, at 127.77.0.7:9100, does not answer yet, so that its configuration is not known: connection refused", missing)
}
