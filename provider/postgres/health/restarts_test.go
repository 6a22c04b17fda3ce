package health_test

import (
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// has is a cluster whose nodes run with as many connections.
func (w *world) has(connections int) *world {
	w.change(func() {
		w.config["loop_wait"] = 1
		for _, n := range w.nodes {
			n.connections = connections
		}
	})
	return w
}

// wants has the settings say another number of connections.
func (w *world) wants(connections int) { w.change(func() { w.wanted = connections }) }

// applies are the inputs of a gate that has what waits restarted.
func (w *world) applies(more ...any) map[string]any {
	return w.inputs(append([]any{"synchronousStandbys", min(1, len(w.nodes)-1), "applyPendingRestarts", true}, more...)...)
}

// TestApplyRestarts has parameters wait for a restart that are raised, and lowered.
func TestApplyRestarts(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		what               string
		nodes, has, wants  int
		reasons            bool
		restarts, switches []string
	}{
		{"raised", 3, 100, 200, false, []string{"postgres-2", "postgres-3"}, []string{"postgres-1 to postgres-2"}},
		{"raised, of two", 2, 100, 200, true, []string{"postgres-2"}, []string{"postgres-1 to postgres-2"}},
		{"lowered", 3, 200, 100, true, []string{"postgres-1", "postgres-2", "postgres-3"}, nil},
		{"lowered, and Patroni does not say what", 3, 200, 100, false, []string{"postgres-2", "postgres-3", "postgres-1", "postgres-2", "postgres-3"}, nil},
		{"raised, of one", 1, 100, 200, true, []string{"postgres-1"}, nil},
		{"nothing waits", 3, 100, 100, true, nil, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 190+i, names(c.nodes)...)
			for _, n := range w.nodes {
				n.start()
			}
			w.has(c.has).change(func() {
				w.leader, w.reasons, w.isSynchronous = "postgres-1", c.reasons, true
				for i, n := range w.nodes {
					n.synchronous = i == 1
				}
			})
			w.wants(c.wants)
			without := newGate(t, w.inputs())
			require.NoError(t, without.create(false))
			assert.Empty(t, w.restarts, "a gate without the input restarts nothing")
			g := newGate(t, w.applies())
			g.timeout = 60
			require.NoError(t, g.create(false))
			assert.Equal(t, c.restarts, w.restarts)
			assert.Equal(t, c.switches, w.switches)
			for _, n := range w.nodes {
				assert.Equal(t, c.wants, n.connections, n.name)
			}
		})
	}
}

// TestApplyRestartsLater has settings reach the nodes after the gate has begun, and go by another
// way than the program: a refresh sees that.
func TestApplyRestartsLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 197, names(3)...).up().has(100)
	w.later(func() { w.wants(200) })
	g := newGate(t, w.applies())
	g.timeout = 60
	require.NoError(t, g.create(false))
	assert.Equal(t, []string{"postgres-2", "postgres-3"}, w.restarts)

	read := func() string {
		t.Helper()
		seen, err := g.Read(p.ReadRequest{ID: "gate", Urn: gateURN, Properties: g.state, Inputs: g.inputs})
		require.NoError(t, err)
		if triggers := seen.Inputs.Get("triggers"); triggers.IsMap() && triggers.AsMap().Get("seen").IsString() {
			return triggers.AsMap().Get("seen").AsString()
		}
		return ""
	}
	assert.Empty(t, read())
	w.change(func() { w.wanted, w.reasons = 300, true })
	assert.Equal(t, "postgres-1: waits for a restart of PostgreSQL for max_connections\n"+
		"postgres-2: waits for a restart of PostgreSQL for max_connections\npostgres-3: waits for a restart of PostgreSQL for max_connections", read())
}

// TestApplyRestartsFails has a value that one node cannot start with: the others, and the leader
// above all, are left alone.
func TestApplyRestartsFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 198, names(5)...).up().has(100)
	w.change(func() { w.wanted, w.reasons, w.nodes[2].most = 9000, true, 500 })
	g := newGate(t, w.applies())
	g.timeout = 120
	begun := time.Now()
	require.ErrorContains(t, g.create(false), "postgres-3: PostgreSQL does not start with what it waited for a restart for: POST /restart: 503 Service Unavailable: restart failed. No other node was restarted after it. "+
		"PostgreSQL's log says why: `journalctl -u patroni` on 127.0.198.3. Take back in the program")
	assert.Less(t, time.Since(begun), time.Minute)
	assert.Equal(t, []string{"postgres-2", "postgres-3"}, w.restarts)

	g.timeout = 5
	require.ErrorContains(t, g.create(false), "postgres-3: is not streaming: replica, state start failed", "the next update does not go on elsewhere")
	assert.Len(t, w.restarts, 2)
	w.change(func() { w.wanted = 100; w.nodes[2].begin() }) // as Patroni does all the time
	g.timeout = 60
	require.NoError(t, g.create(false), "it was taken back")
	assert.Equal(t, []string{"postgres-2", "postgres-3", "postgres-2"}, w.restarts)
	assert.Empty(t, w.switches)
}

// TestApplyRestartsBadDays has restarts wait for a cluster that could not do without the node, and
// for one that nobody has paused.
func TestApplyRestartsBadDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 199, names(3)...).up().has(100)
	g := newGate(t, w.applies())
	require.NoError(t, g.create(false))
	w.wants(200)
	w.change(func() { w.pause = true })
	again := func(reason string) error {
		return g.update(w.applies("triggers", map[string]any{"reason": reason}))
	}
	require.ErrorContains(t, again("paused"), "the cluster is paused (maintenance mode)")
	w.change(func() { w.pause = false })
	w.nodes[2].gone()
	g.timeout = 40
	require.ErrorContains(t, again("off"), "postgres-3: does not answer", "even one that was out before: two of three are too few")
	w.change(func() { w.nodes[2].member, w.nodes[2].state, w.nodes[1].synchronous = true, "running", false })
	w.nodes[2].start()
	g.timeout = 4
	require.ErrorContains(t, again("asynchronous"), "postgres-1: has 0 of 1 synchronous standbys")
	assert.Empty(t, w.restarts)
	w.change(func() { w.nodes[1].synchronous = true })
	g.timeout = 60
	require.NoError(t, again("well"))
	assert.Equal(t, []string{"postgres-2", "postgres-3"}, w.restarts)
	assert.Equal(t, []string{"postgres-1 to postgres-2"}, w.switches)
}
