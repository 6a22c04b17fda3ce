package health_test

import (
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refresh is what a refresh of the gate finds.
func (g *gate) refresh() p.ReadResponse {
	g.t.Helper()
	read, err := g.Read(p.ReadRequest{ID: "gate", Urn: gateURN, Properties: g.state, Inputs: g.inputs})
	require.NoError(g.t, err)
	return read
}

// seen is what a refresh noted, or "".
func seen(read p.ReadResponse) string {
	triggers := read.Inputs.Get("triggers")
	if !triggers.IsMap() || !triggers.AsMap().Get("seen").IsString() {
		return ""
	}
	return triggers.AsMap().Get("seen").AsString()
}

// updateAfter updates what a refresh found to what the program says.
func (g *gate) updateAfter(read p.ReadResponse) error {
	g.t.Helper()
	diff, err := g.Diff(p.DiffRequest{ID: "gate", Urn: gateURN, State: read.Properties, OldInputs: read.Inputs, Inputs: g.inputs})
	require.NoError(g.t, err)
	require.True(g.t, diff.HasChanges)
	made, err := g.Update(p.UpdateRequest{ID: "gate", Urn: gateURN, State: read.Properties, OldInputs: read.Inputs, Inputs: g.inputs, Timeout: g.timeout})
	if err == nil {
		g.state = made.Properties
	}
	return err
}

// TestRefresh has a refresh see what is wrong, and the update after it wait.
func TestRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 173, names(3)...).up()
	var primary *node
	balancer := map[string]any{"endpoint": w.balance(func() *node { return primary }), "replicaEndpoint": w.balance(func() *node { return w.nodes[1] })}
	w.change(func() { primary = w.nodes[0] })
	g := newGate(t, w.inputs("synchronousStandbys", 1, "loadBalancers", []any{balancer}, "triggers", map[string]any{"postgres-3": "m3"}))
	require.NoError(t, g.create(false))
	unchanged := func(why string) {
		t.Helper()
		read := g.refresh()
		assert.Equal(t, g.inputs, read.Inputs, why)
		assert.Equal(t, g.state, read.Properties, why)
	}
	unchanged("all is well")
	w.change(func() { w.nodes[0].location, w.nodes[1].synchronous = 1<<30, false })
	unchanged("a cluster is busy")
	w.change(func() { w.nodes[0].location, w.nodes[1].synchronous = 0, true })
	w.nodes[2].die()
	w.later(func() { w.nodes[2].start() })
	unchanged("a node that is slow")

	w.change(func() { primary = nil })
	assert.Contains(t, seen(g.refresh()), "no PostgreSQL server answers through the load balancer")
	w.change(func() { primary = w.nodes[0] })

	w.nodes[2].gone()
	read := g.refresh()
	assert.Equal(t, "postgres-3: does not answer: connection refused", seen(read))
	assert.Equal(t, read.Inputs.Get("triggers"), read.Properties.Get("triggers"))
	g.timeout = 60
	begun := time.Now()
	timer := time.AfterFunc(35*time.Second, func() {
		w.change(func() { w.nodes[2].member, w.nodes[2].state = true, "running" })
		w.nodes[2].start()
	})
	t.Cleanup(func() { timer.Stop() })
	require.NoError(t, g.updateAfter(read))
	assert.Greater(t, time.Since(begun), 35*time.Second, "it waits for a machine that the update may have started")
	unchanged("all is well again")
}

// TestRefreshOfWhatWaitsForNothing has gates that are about one change look at nothing.
func TestRefreshOfWhatWaitsForNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 174, names(2)...).up()
	for _, more := range [][]any{
		{"node", "postgres-1"},
		{"without", "postgres-1"},
		{"skipHealthChecks", true},
		{"plan", map[string]any{"version": "17"}},
		{"otherLoadBalancers", []any{map[string]any{"endpoint": "127.0.174.9:1", "replicaEndpoint": "127.0.174.9:2"}}},
	} {
		g := newGate(t, w.inputs(more...))
		require.NoError(t, g.create(false))
		calls := w.asked()
		read := g.refresh()
		assert.Equal(t, g.inputs, read.Inputs, more[0])
		assert.Equal(t, g.state, read.Properties, more[0])
		assert.Equal(t, calls, w.asked(), more[0])
	}
	_, err := newGate(t, w.inputs()).Read(p.ReadRequest{ID: "gate", Urn: gateURN})
	require.NoError(t, err, "an import has nothing to ask by")
}
