package health_test

import (
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exports has a node tell what quorum-backup and quorum-apply wrote, until the end that is returned.
func (n *node) exports(metrics func() string) (end func()) {
	n.world.t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(n.ip, "9100"))
	require.NoError(n.world.t, err)
	exporter := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(out, metrics())
	})}
	go func() { _ = exporter.Serve(listener) }()
	end = func() { _ = exporter.Close() }
	n.world.t.Cleanup(end)
	return end
}

// TestLeaderOfBackupsFallsSilent has a leader's machine tell of a backup that failed for good before the gate began to
// wait, and then nothing any more: that may be mended since, so the gate waits, and names the machine that is silent.
func TestLeaderOfBackupsFallsSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 212, "postgres-1", "postgres-2").up()
	var told atomic.Int32
	looked := time.Now().Unix()
	end := w.nodes[0].exports(func() string {
		told.Add(1)
		return `quorum_backup_info{stanza="main",id="4e1d"} 1` + "\nquorum_backup_leader 1\n" +
			`quorum_backup_failure{of="backup",reason="stanza main is of another cluster",again="false"} 1` + "\n" +
			fmt.Sprintf("quorum_backup_updated_timestamp_seconds %d\n", looked)
	})
	time.Sleep(time.Until(time.Unix(looked+2, 0)))
	g := newGate(t, w.inputs("backupStanza", "main", "backupId", "4e1d"))
	g.timeout = 10
	go func() {
		for told.Load() == 0 && t.Context().Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		end()
	}()
	err := g.create(false)
	require.NotZero(t, told.Load())
	require.ErrorContains(t, err, "timed out")
	require.ErrorContains(t, err, "postgres-1: ")
	assert.NotContains(t, err.Error(), "cannot be made")
}

// TestNodesThatRestore has a gate say of each node that restores a backup which one, and at which attempt.
func TestNodesThatRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 213, "postgres-1", "postgres-2")
	for i, attempt := range []string{"2", "1"} {
		n := w.nodes[i]
		n.blank, n.state = true, "running custom bootstrap script"
		n.start()
		n.exports(func() string {
			return fmt.Sprintf("quorum_backup_restoring{stanza=\"main-5f2c91aa\",target=\"to the time 2026-11-22 14:31:00+00:00\",attempt=%q} 1\n", attempt)
		})
	}
	in := w.inputs()
	for _, n := range in["nodes"].([]any) {
		n.(map[string]any)["generation"] = "g1"
	}
	g := newGate(t, in)
	g.timeout = 2
	err := g.create(false)
	const restores = "restores main-5f2c91aa to the time 2026-11-22 14:31:00+00:00"
	require.ErrorContains(t, err, "postgres-1: "+restores+", attempt 2: `journalctl -u patroni` there says why the last one failed\n")
	require.ErrorContains(t, err, "postgres-2: "+restores)
	assert.NotContains(t, err.Error(), "attempt 1")
}
