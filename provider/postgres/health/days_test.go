package health_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
)

// names are those of so many nodes.
func names(count int) (all []string) {
	for i := range count {
		all = append(all, fmt.Sprint("postgres-", i+1))
	}
	return all
}

// TestNodesOut has nodes that do not answer changed, in clusters that lead
// without them: nothing depends on those.
func TestNodesOut(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ size, out int }{{2, 1}, {3, 1}, {3, 2}, {5, 2}, {5, 4}} {
		for j, how := range []string{"off", "frozen", "in a crash loop"} {
			t.Run(fmt.Sprintf("%d of %d %s", c.out, c.size, how), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, 150+3*i+j, names(c.size)...).up()
				g := newGate(t, w.inputs("without", w.nodes[c.size-1].name, "synchronousStandbys", 1))
				require.NoError(t, g.create(false), "all are well")
				for _, n := range w.nodes[c.size-c.out:] {
					w.change(func() { n.state = "starting" })
					switch how {
					case "off":
						n.gone()
					case "frozen":
						n.freeze()
					}
				}
				g.timeout = 15 // a look takes 5 s at most, however many do not answer
				require.NoError(t, g.update(w.inputs("without", w.nodes[c.size-1].name, "synchronousStandbys", 1, "triggers", map[string]any{"image": "2"})))
				assert.Empty(t, w.switches)
			})
		}
	}
}

// TestSettingsWhileNodeIsOut has a node that was out before its machine was
// handed something else not hold up the others.
func TestSettingsWhileNodeIsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 166, names(3)...).up()
	exports(t, "127.0.166.2", "bb")
	exports(t, "127.0.166.3", "bb")
	generation := func(of string) map[string]any {
		in := w.inputs("node", "postgres-2", "triggers", map[string]any{"machine": "m1"})
		node := in["nodes"].([]any)[1].(map[string]any)
		node["generation"], node["restarts"] = of, "r1"
		return in
	}
	exports(t, "127.0.166.1", "bb")
	g := newGate(t, generation("bb"))
	require.NoError(t, g.create(false))
	assert.Equal(t, map[string]any{"restarts": "r1"}, w.noted("postgres-2"))

	swap := health.Swap{Health: w.health(t, "postgres-2"), Restarts: "r1", Generation: "cc", Limit: time.Second}
	require.NoError(t, swap.Ask(t.Context()), "nothing restarts")
	assert.Equal(t, map[string]any{"restarts": "r1"}, w.noted("postgres-2"), "it is well")
	g.timeout = 3
	require.ErrorContains(t, g.update(generation("cc")), "postgres-2: it has not applied its new configuration yet", "a node that was well is waited for")

	w.nodes[1].gone()
	require.NoError(t, swap.Ask(t.Context()))
	assert.Equal(t, map[string]any{"restarts": "r1", "out": "cc"}, w.noted("postgres-2"))
	g.timeout = 60
	require.NoError(t, g.update(generation("cc")), "it was out before")

	other := generation("cc")
	other["triggers"] = map[string]any{"machine": "m2"}
	g.timeout = 35
	require.ErrorContains(t, g.update(other), "postgres-2: does not answer", "one that has another machine is waited for")
}

// TestSwap has Patroni restart by an update of a machine that runs.
func TestSwap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 167, names(3)...).up()
	w.change(func() {
		w.config["quorum_nodes"] = map[string]any{"postgres-1": map[string]any{"restarts": "r1"}, "postgres-3": map[string]any{}}
	})
	swap := health.Swap{Health: w.health(t, "postgres-1"), Restarts: "r1", Limit: 3 * time.Second}
	w.nodes[2].gone()
	require.NoError(t, swap.Ask(t.Context()), "what restarts nothing is not asked for")
	w.change(func() {
		w.config["quorum_nodes"] = map[string]any{"postgres-1": map[string]any{"restarts": guest.Dated(guest.Hash("r"), "2026-11-22T00:00:00Z")}, "postgres-3": map[string]any{}}
	})
	for _, earlier := range []string{guest.Dated(guest.Hash("r"), "2026-10-11T00:00:00Z"), guest.Hash("r")} {
		swap.Restarts = earlier
		require.NoError(t, swap.Ask(t.Context()), "nor what a patch day that goes back does not restart")
	}
	w.change(func() {
		w.config["quorum_nodes"] = map[string]any{"postgres-1": map[string]any{"restarts": "r1"}, "postgres-3": map[string]any{}}
	})
	swap.Restarts = "r1"
	w.change(func() { w.pause = true })
	require.ErrorContains(t, swap.Ask(t.Context()), "postgres-1 must not change now: the cluster is paused (maintenance mode)")
	w.change(func() { w.pause = false })
	swap.Restarts = "r2"
	require.ErrorContains(t, swap.Ask(t.Context()), "postgres-1 must not restart now: timed out after 3s: postgres-3: does not answer")
	assert.Empty(t, w.switches)

	w.change(func() { w.nodes[2].member, w.nodes[2].state = true, "running" })
	w.nodes[2].start()
	swap.Limit = time.Minute
	require.NoError(t, swap.Ask(t.Context()))
	assert.Equal(t, []string{"postgres-1 to postgres-2"}, w.switches)
	assert.Equal(t, map[string]any{"restarts": "pending"}, w.noted("postgres-1"))
	w.nodes[2].die()
	swap.Restarts, swap.Limit = "r1", 3*time.Second
	require.ErrorContains(t, swap.Ask(t.Context()), "postgres-1 must not restart now", "it may have r2, though all was taken back")
	another := health.Swap{Health: w.health(t, "postgres-2"), Restarts: "r1", Limit: 3 * time.Second}
	require.ErrorContains(t, another.Ask(t.Context()), "postgres-2 must not restart now", "nothing is noted of what it has")
	for _, n := range w.nodes {
		n.gone()
	}
	swap.Limit = 15 * time.Second // a node may be starting again for five
	require.NoError(t, swap.Ask(t.Context()), "where nobody answers nothing is known")
}

// TestNotesWhatChanges has a node change: what its Patroni has is not known until
// the gate after it has seen that.
func TestNotesWhatChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 178, names(3)...).up()
	exports(t, "127.0.178.1", "aa")
	w.change(func() { w.config["quorum_nodes"] = map[string]any{"postgres-1": map[string]any{"restarts": "r1"}} })
	before := newGate(t, w.inputs("without", "postgres-1", "synchronousStandbys", 1, "triggers", map[string]any{"restarts": "r2"}))
	require.NoError(t, before.create(false))
	assert.Equal(t, map[string]any{"restarts": "pending"}, w.noted("postgres-1"))
	in := w.inputs("node", "postgres-1", "triggers", map[string]any{"machine": "m1", "drive": "d2"})
	node := in["nodes"].([]any)[0].(map[string]any)
	node["generation"], node["restarts"] = "aa", "r2"
	require.NoError(t, newGate(t, in).create(false))
	assert.Equal(t, map[string]any{"restarts": "r2"}, w.noted("postgres-1"))
}

// TestLeaderLeavesTheProgram has a gate find a leader that is none of its nodes.
func TestLeaderLeavesTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 169, names(3)...).up()
	g := newGate(t, w.inputs("synchronousStandbys", 1))
	require.NoError(t, g.create(false))
	in := w.inputs("synchronousStandbys", 1)
	in["nodes"] = in["nodes"].([]any)[1:]
	require.NoError(t, g.update(in))
	assert.Equal(t, []string{"postgres-1 to postgres-2"}, w.switches)
	assert.Equal(t, "postgres-2", g.state.Get("leader").AsString())
	assert.Nil(t, w.noted("postgres-1"), "it is noted no more")
	assert.NotNil(t, w.noted("postgres-3"))
}

// TestLeaderLeavesWithItsStandby has the only node leave that may take over, too.
func TestLeaderLeavesWithItsStandby(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 172, names(4)...).up()
	g := newGate(t, w.inputs("synchronousStandbys", 1))
	require.NoError(t, g.create(false))
	in := w.inputs("synchronousStandbys", 1)
	in["nodes"] = in["nodes"].([]any)[2:]
	require.NoError(t, g.update(in))
	assert.Equal(t, []string{"postgres-2"}, w.restarts, "it gives up its place first")
	assert.Contains(t, []string{"postgres-3", "postgres-4"}, g.state.Get("leader").AsString())
}

// TestStandbyLeavesTheProgram has another node take the place of a synchronous
// standby that is none of the gate's nodes, and streams still.
func TestStandbyLeavesTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 176, names(3)...).up()
	g := newGate(t, w.inputs("synchronousStandbys", 1))
	require.NoError(t, g.create(false))
	in := w.inputs("synchronousStandbys", 1)
	in["nodes"] = []any{in["nodes"].([]any)[0], in["nodes"].([]any)[2]}
	require.NoError(t, g.update(in))
	assert.Equal(t, []string{"postgres-2"}, w.restarts)
	assert.Contains(t, list(g.state.Get("members")), "postgres-3 sync_standby streaming")
	assert.Empty(t, w.switches)
}

// TestExpiredCertificates has gates ask nodes whose certificates have expired,
// and none whose certificates are of another authority or for another address.
func TestExpiredCertificates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 170, names(2)...)
	for _, n := range w.nodes {
		n.cert = w.ca.issueUntil(t, n.ip, time.Now().Add(-time.Minute))
	}
	w.up()
	g := newGate(t, w.inputs())
	require.NoError(t, g.create(false), "the authority vouches for them")
	other := newWorld(t, 171, names(2)...)
	other.nodes[1].cert = w.ca.issueUntil(t, "127.0.171.9", time.Now().Add(-time.Minute))
	g = newGate(t, other.up().inputs())
	g.timeout = 2
	require.ErrorContains(t, g.create(false), "postgres-2: does not answer: x509: certificate is valid for 127.0.171.9, not 127.0.171.2")
}

// TestAnotherClusterIsTaken has an update with skipHealthChecks take a cluster of
// another system id: a gate that waits for nothing then keeps none.
func TestAnotherClusterIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 181, names(3)...).up()
	g := newGate(t, w.inputs("without", "postgres-3"))
	require.NoError(t, g.create(false))
	require.NoError(t, g.update(w.inputs("without", "postgres-3")))
	assert.NotEmpty(t, g.state.Get("systemId").AsString())
	require.NoError(t, g.update(w.inputs("without", "postgres-3", "skipHealthChecks", true)))
	assert.Empty(t, g.state.Get("systemId").AsString())
}

// TestLookCutShort has the time be over before anybody has answered: that is not
// taken for a cluster that nobody is left of.
func TestLookCutShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 180, names(3)...).up()
	for _, n := range w.nodes {
		n.freeze()
	}
	swap := health.Swap{Health: w.health(t, "postgres-3"), Restarts: "r1", Limit: time.Second}
	require.ErrorContains(t, swap.Ask(t.Context()), "postgres-3 must not restart now: timed out after 1s")
}
