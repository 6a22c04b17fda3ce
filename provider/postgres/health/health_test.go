package health_test

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
)

func TestGateOfAllNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 131, "postgres-1", "postgres-2", "postgres-3")
	g := newGate(t, w.inputs("synchronousStandbys", 1))
	require.NoError(t, g.create(true))
	assert.Zero(t, w.asked(), "a preview asks nobody")
	for _, n := range w.nodes {
		n.start()
	}
	w.later(func() { w.change(w.elect) })
	require.NoError(t, g.create(false), "it waits for the cluster to come")
	assert.Equal(t, "postgres-1", g.state.Get("leader").AsString())
	assert.Equal(t, []string{"postgres-1 leader running", "postgres-2 sync_standby streaming", "postgres-3 replica streaming"}, list(g.state.Get("members")))
	assert.InDelta(t, 1, g.state.Get("timeline").AsNumber(), 0)
	assert.Equal(t, "7268616322854375442", g.state.Get("systemId").AsString())
	for name := range g.state.All {
		assert.NotContains(t, []string{"clientKey", "clientCert", "caCert"}, name)
	}

	calls := w.asked()
	require.NoError(t, g.Delete(p.DeleteRequest{ID: "gate", Urn: gateURN, Properties: g.state}))
	assert.Equal(t, calls, w.asked(), "a deletion asks nobody")
}

func TestGivesUpInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 132, "postgres-1", "postgres-2", "postgres-3").up()
	g := newGate(t, w.inputs())
	require.NoError(t, g.create(false))
	w.nodes[2].die()
	w.change(func() { w.nodes[1].state = "starting" })
	g.timeout = 2
	err := g.update(w.inputs("triggers", map[string]any{"image": "2"}))
	require.EqualError(t, err, "timed out after 2s: postgres-2: is not streaming: replica, state starting\n"+
		"postgres-3: does not answer: connection refused. Look at it: `journalctl -u patroni` on 127.0.132.2, 127.0.132.3."+
		" The next `pulumi up` continues here. Do not set skipHealthChecks because a machine or the network is down now: it turns off what protects the nodes. "+
		"It is for a cluster that is lost as a whole, or whose machines can never be reached from here, as with macvtap.")

	w.change(func() { w.nodes[1].state = "running" })
	w.later(func() { w.nodes[2].start() })
	g.timeout = 20
	require.NoError(t, g.update(w.inputs("triggers", map[string]any{"image": "2"})), "the next up goes on")
	w.nodes[2].die()
	require.NoError(t, g.update(w.inputs("triggers", map[string]any{"image": "3"}, "skipHealthChecks", true)))
}

func TestReportsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 133, "postgres-1", "postgres-2").up()
	g := newGate(t, w.inputs())
	w.change(func() { w.pause = true })
	begun := time.Now()
	require.ErrorContains(t, g.create(false), "the cluster is paused (maintenance mode)")
	assert.Less(t, time.Since(begun), 3*time.Second)
}

// TestChain has gates as a cluster has: before and after each of its nodes.
func TestChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 134, "postgres-1", "postgres-2", "postgres-3")
	before := newGate(t, w.inputs("without", "postgres-1", "synchronousStandbys", 1))
	after := newGate(t, w.inputs("node", "postgres-1", "synchronousStandbys", 1))
	before.timeout, after.timeout = 3, 3
	require.NoError(t, before.create(false), "there is no cluster yet")
	require.NoError(t, after.create(false), "the others are no cluster yet")
	before.timeout, after.timeout = 20, 20
	w.up()

	w.nodes[2].die()
	require.NoError(t, before.update(w.inputs("without", "postgres-1", "synchronousStandbys", 1, "maximumLag", 1)), "nothing is about to change")
	before.timeout = 2
	change := w.inputs("without", "postgres-1", "synchronousStandbys", 1, "triggers", map[string]any{"image": "2"})
	require.ErrorContains(t, before.update(change), "postgres-3: does not answer: connection refused")
	assert.Empty(t, w.switches)

	w.nodes[2].start()
	before.timeout = 20
	require.NoError(t, before.update(change))
	assert.Equal(t, []string{"postgres-1 to postgres-2"}, w.switches, "it hands over once, to the synchronous standby")
	assert.Equal(t, "postgres-2", before.state.Get("leader").AsString())

	w.nodes[0].die() // the machine is replaced
	w.later(func() { w.nodes[0].start() })
	require.NoError(t, after.update(w.inputs("node", "postgres-1", "triggers", map[string]any{"machine": "2"})), "until it is there again")
	assert.Equal(t, "postgres-2", after.state.Get("leader").AsString())
}

// TestSynchronousStandby is about one that changes: commits are not to wait
// until the leader has noticed.
func TestSynchronousStandby(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 138, "postgres-1", "postgres-2", "postgres-3").up()
	g := newGate(t, w.inputs("without", "postgres-2", "synchronousStandbys", 1))
	require.NoError(t, g.create(false))
	assert.Equal(t, []string{"postgres-2"}, w.restarts)
	assert.Equal(t, []string{"postgres-1 leader running", "postgres-2 replica streaming", "postgres-3 sync_standby streaming"}, list(g.state.Get("members")))
	assert.Empty(t, w.switches)
}

func TestGrowth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 135, "postgres-1", "postgres-2", "postgres-3").up()
	third := w.nodes[2]
	third.die()
	w.change(func() { third.member, w.nodes = false, w.nodes[:2] })
	g := newGate(t, w.inputs("without", "postgres-2"))
	require.NoError(t, g.create(false))
	w.change(func() { w.nodes = append(w.nodes, third) })
	g.timeout = 3
	require.NoError(t, g.update(w.inputs("without", "postgres-2", "triggers", map[string]any{"image": "2"})), "a node that is yet to be made is not waited for")
	require.NoError(t, g.update(w.inputs("without", "postgres-2", "triggers", map[string]any{"image": "3"})), "nor when its machine failed to be made in an earlier update")

	w.change(func() { third.member = true })
	third.start()
	require.NoError(t, newGate(t, w.inputs("node", "postgres-3")).create(false))
	third.gone()
	require.ErrorContains(t, g.update(w.inputs("without", "postgres-2", "triggers", map[string]any{"image": "4"})), "postgres-3: does not answer",
		"one that was in the cluster counts, though this gate has never seen it there")
}

func TestLoadBalancer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 136, "postgres-1", "postgres-2").up()
	stranger := &node{cert: w.ca.issue(t, "127.0.136.9")}
	var primary, replica *node
	endpoint, replicaEndpoint := w.balance(func() *node { return primary }), w.balance(func() *node { return replica })
	g := newGate(t, w.inputs("loadBalancers", []any{map[string]any{"endpoint": endpoint, "replicaEndpoint": replicaEndpoint}}))
	g.timeout = 1
	for _, c := range []struct {
		primary, replica *node
		want             string
	}{
		{nil, w.nodes[1], endpoint + ": no PostgreSQL server answers through the load balancer: it closes the connection."},
		{w.nodes[1], w.nodes[1], endpoint + ": the load balancer connects to postgres-2, not to the leader postgres-1."},
		{stranger, w.nodes[1], endpoint + ": the load balancer connects to a PostgreSQL server that is not one of the nodes."},
		{w.nodes[0], w.nodes[0], replicaEndpoint + ": the load balancer connects to the leader postgres-1, not to a replica."},
	} {
		w.change(func() { primary, replica = c.primary, c.replica })
		require.ErrorContains(t, g.create(false), "timed out after 1s: "+c.want+" The next `pulumi up`")
	}
	w.change(func() { primary, replica = w.nodes[0], w.nodes[1] })
	require.NoError(t, g.create(false))
}

// TestOtherLoadBalancers is about one that changes: clients need another.
func TestOtherLoadBalancers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 139, "postgres-1", "postgres-2").up()
	var first, second *node
	balancer := func(primary **node) map[string]any {
		return map[string]any{"endpoint": w.balance(func() *node { return *primary }), "replicaEndpoint": w.balance(func() *node { return w.nodes[1] })}
	}
	others := []any{balancer(&first), balancer(&second)}
	gate := func(trigger string, others ...any) map[string]any {
		return w.inputs("otherLoadBalancers", others, "triggers", map[string]any{"rebuilds": trigger})
	}
	g := newGate(t, gate("1", others[0]))
	g.timeout = 1
	require.NoError(t, g.create(false), "the others may be yet to be made")
	require.NoError(t, g.update(gate("1", others...)), "nothing is about to change")
	require.ErrorContains(t, g.update(gate("2", others...)), "no PostgreSQL server answers through the load balancer")
	w.change(func() { second = w.nodes[0] })
	require.NoError(t, g.update(gate("2", others...)), "one is enough")
	w.change(func() { second = nil })
	require.NoError(t, g.update(gate("3", balancer(&first))), "one that the gate did not know")

	away, serves := balancer(&first), w.nodes[0]
	assert.Equal(t, []bool{true, false}, health.Away(t.Context(), []string{away["endpoint"].(string), balancer(&serves)["endpoint"].(string)}))
	assert.Equal(t, []bool{false}, health.Away(t.Context(), []string{away["endpoint"].(string)}), "no other leads there either")
	asked := 0
	late := w.balance(func() *node {
		if asked++; asked == 1 {
			return nil
		}
		return w.nodes[0]
	})
	assert.Equal(t, []bool{true, false}, health.Away(t.Context(), []string{away["endpoint"].(string), late}), "the other did not answer for a moment")
	changes := gate("4", others...)
	changes["loadBalancers"] = []any{away}
	g.timeout = 20
	require.NoError(t, g.update(changes), "clients do without it already")
}

// TestGeneration has a machine tell what it has in force.
func TestGeneration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 137, "postgres-1", "postgres-2").up()
	listener, err := net.Listen("tcp", "127.0.137.9:9100")
	require.NoError(t, err)
	metric := `quorum_apply_info{generation="aa",outcome="done"} 1`
	exporter := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		w.change(func() { fmt.Fprintln(out, metric) })
	})}
	go func() { _ = exporter.Serve(listener) }()
	t.Cleanup(func() { _ = exporter.Close() })
	in := w.inputs("node", "postgres-2")
	in["nodes"] = append(in["nodes"].([]any), map[string]any{"name": "postgres-3", "ip": "127.0.137.9", "apiPort": w.port, "generation": "bb"})
	third := &node{world: w, name: "postgres-3", ip: "127.0.137.9", cert: w.ca.issue(t, "127.0.137.9"), state: "running", member: true}
	third.start()
	w.change(func() { w.nodes = append(w.nodes, third) })

	g := newGate(t, in)
	g.timeout = 2
	require.NoError(t, g.create(false), "that of another node is not looked at")
	in["node"] = "postgres-3"
	g = newGate(t, in)
	g.timeout = 2
	require.ErrorContains(t, g.create(false), "timed out after 2s: postgres-3: it has not applied its new configuration yet. Look at it: `journalctl -u patroni` on 127.0.137.9.")
	w.change(func() { metric = `quorum_apply_info{generation="bb",outcome="done"} 1` })
	require.NoError(t, g.create(false))
	w.change(func() { metric = `quorum_apply_info{generation="bb",outcome="rolled back"} 1` })
	g.timeout = 20
	begun := time.Now()
	require.ErrorContains(t, g.create(false), "postgres-3: it could not apply its new configuration (rolled back)")
	assert.Less(t, time.Since(begun), 3*time.Second)
}
