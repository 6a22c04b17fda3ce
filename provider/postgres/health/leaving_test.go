package health_test

import (
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLeaving has a node leave the program, and its machine stay for longer than
// its guard: the last gate asks about it for as long as it answers.
func TestLeaving(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 179, names(3)...).up()
	w.change(func() {
		w.config["quorum_nodes"] = map[string]any{"postgres-1": map[string]any{}, "postgres-2": map[string]any{}, "postgres-3": map[string]any{}}
	})
	inputs := func(count int) map[string]any {
		in := w.inputs("synchronousStandbys", 1)
		in["nodes"] = in["nodes"].([]any)[:count]
		return in
	}
	g := newGate(t, inputs(3))
	require.NoError(t, g.create(false))
	require.NoError(t, g.update(inputs(2)))
	assert.Equal(t, 1, g.state.Get("leaving").AsArray().Len())
	now := g.check(inputs(2))
	changes := func() bool {
		begun := time.Now()
		resp, err := g.Diff(p.DiffRequest{ID: "gate", Urn: gateURN, State: g.state, OldInputs: now, Inputs: now})
		require.NoError(t, err)
		assert.Less(t, time.Since(begun), 4*time.Second)
		return resp.HasChanges
	}
	assert.True(t, changes(), "it answers")
	require.NoError(t, g.update(inputs(2)), "the others can do without it")
	assert.Equal(t, 1, g.state.Get("leaving").AsArray().Len())

	w.change(func() { w.leader = "postgres-3" })
	w.nodes[0].die()
	w.nodes[1].die()
	g.timeout = 4
	require.ErrorContains(t, g.update(inputs(2)), "timed out after 4s: ")
	assert.True(t, changes())
	w.nodes[2].freeze()
	assert.False(t, changes(), "one that does not answer leads nothing")
}

// TestAddressOfOneStillThere has another node get the address of one that left the
// program and whose machine answers still.
func TestAddressOfOneStillThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 188, names(3)...).up()
	inputs := func(names ...string) map[string]any {
		in := w.inputs("plan", map[string]any{"keys": "/service/main/"}, "synchronousStandbys", 1)
		in["nodes"] = in["nodes"].([]any)[:len(names)]
		for i, name := range names {
			in["nodes"].([]any)[i].(map[string]any)["name"] = name
		}
		return in
	}
	g := newGate(t, inputs("postgres-1", "postgres-2", "postgres-3"))
	require.NoError(t, g.create(false))
	require.NoError(t, g.update(inputs("postgres-1", "postgres-2")))
	another := inputs("postgres-1", "postgres-2", "postgres-4")
	require.ErrorContains(t, g.update(another), "nodes[2].ip: must not be 127.0.188.3, the address of postgres-3: that one was removed from the program, but its machine still answers. Give postgres-4 another")
	w.nodes[2].die()
	require.NoError(t, g.update(another))
	assert.True(t, g.state.Get("leaving").IsNull() || g.state.Get("leaving").AsArray().Len() == 0)
}
