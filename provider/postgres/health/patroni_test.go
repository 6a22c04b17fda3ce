package health_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// TestPatroni has gates before a real cluster, of nodes that are configured as
// our machines are: Patroni, PostgreSQL and etcd.
func TestPatroni(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("patroni")
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // where Debian has them
	if err != nil || len(programs) == 0 {
		t.Skip("Patroni or PostgreSQL is not installed: tools/setup test installs them")
	}
	w := newWorld(t, 141, "postgres-1", "postgres-2", "postgres-3")
	etcd, database := startEtcd(t, w.ca), loopback.Port(t)
	var nodes []*real
	for _, n := range w.nodes {
		nodes = append(nodes, newReal(t, n, programs[0], etcd, database))
	}
	endpoint := func(n *node) string { return fmt.Sprint(n.ip, ":", database) }

	before := newGate(t, w.inputs("without", "postgres-1", "synchronousStandbys", 1))
	require.NoError(t, before.create(false), "there is no cluster yet")
	nodes[0].start() // so that it founds the cluster
	first := newGate(t, w.inputs("without", "postgres-2"))
	first.timeout = 120
	require.Eventually(t, func() bool { return first.create(false) == nil && first.state.Get("leader").AsString() == "postgres-1" }, 3*time.Minute, time.Second)
	nodes[1].start()
	nodes[2].start()
	begun := time.Now()
	all := newGate(t, w.inputs("synchronousStandbys", 1))
	all.timeout = 120
	require.NoError(t, all.create(false))
	t.Logf("two replicas stream after %s: %q", time.Since(begun).Round(time.Second), list(all.state.Get("members")))

	before.timeout = 120
	gap := nodes[0].whileWriting(t, func() {
		require.NoError(t, before.update(w.inputs("without", "postgres-1", "synchronousStandbys", 1, "triggers", map[string]any{"image": "2"})))
	})
	leader := before.state.Get("leader").AsString()
	assert.NotEqual(t, "postgres-1", leader)
	t.Logf("%s took over; from one acknowledged write to the next it took at most %s", leader, gap.Round(100*time.Millisecond))

	standby := nodes[0]
	for i, line := range list(before.state.Get("members")) {
		if strings.Contains(line, " sync_standby ") {
			standby = nodes[i]
		}
	}
	assert.NotEqual(t, "postgres-1", standby.name, "commits do not wait for it when it goes")
	relieved := newGate(t, w.inputs("without", standby.name, "synchronousStandbys", 1))
	relieved.timeout = 120
	gap = standby.whileWriting(t, func() { require.NoError(t, relieved.create(false)) })
	assert.Less(t, gap, 10*time.Second, "commits would wait for a standby that is gone as long as its key is there: ttl")
	assert.Equal(t, leader, relieved.state.Get("leader").AsString())
	assert.NotContains(t, list(relieved.state.Get("members")), standby.name+" sync_standby running")
	t.Logf("%s gave up its place as synchronous standby; from one acknowledged write to the next it took at most %s", standby.name, gap.Round(100*time.Millisecond))

	nodes[0].kill()
	after := newGate(t, w.inputs("node", "postgres-1"))
	after.timeout = 3
	require.ErrorContains(t, after.create(false), "postgres-1: does not answer: connection refused. Look at it: `journalctl -u patroni` on 127.0.141.1.")
	nodes[0].start()
	after.timeout = 120
	require.NoError(t, after.create(false))

	replica := w.nodes[0]
	for _, n := range w.nodes {
		if n.name == leader {
			in := w.inputs("synchronousStandbys", 1, "loadBalancers", []any{map[string]any{"endpoint": endpoint(n), "replicaEndpoint": endpoint(replica)}})
			require.NoError(t, all.update(in), "PostgreSQL has the certificate of Patroni's API")
		}
	}
	assert.Equal(t, leader, all.state.Get("leader").AsString())
	assert.InDelta(t, 2, all.state.Get("timeline").AsNumber(), 0)

	nodes[0].patch(t, `{"pause": true}`)
	require.ErrorContains(t, all.update(w.inputs("synchronousStandbys", 1)), "the cluster is paused (maintenance mode)")
}
