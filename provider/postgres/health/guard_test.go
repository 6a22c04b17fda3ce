package health_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
)

// TestOut is about nodes that come first in an update.
func TestOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 175, names(3)...).up()
	args := w.health(t, "postgres-1")
	assert.Empty(t, health.Out(t.Context(), args), "all are well")
	w.change(func() { w.nodes[1].state = "starting" })
	w.later(func() { w.change(func() { w.nodes[1].state = "running" }) })
	assert.Empty(t, health.Out(t.Context(), args), "one that starts again")
	w.nodes[2].gone()
	assert.Equal(t, []string{"postgres-3"}, health.Out(t.Context(), args))
	w.change(func() { w.leader = "" })
	assert.Empty(t, health.Out(t.Context(), args), "nobody leads")
}

// TestGuard has the machine of a node go.
func TestGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 168, names(3)...).up()
	guard := func(node *node, machine property.Value) property.Map {
		in := toMap(map[string]any{"gate": "main-plan", "node": map[string]any{"name": node.name, "ip": node.ip, "apiPort": w.port}})
		return in.Set("machine", machine)
	}
	const guardURN = "urn:pulumi:stack::project::quorum:index:PostgresCluster$quorum:index:PostgresGuard::main-guard-postgres-1"
	one, known := w.nodes[0], property.New("m1")
	g := newGate(t, w.inputs())
	goes := func(n *node) error {
		return g.Delete(p.DeleteRequest{ID: "guard", Urn: guardURN, Properties: guard(n, known), Timeout: g.timeout})
	}
	require.NoError(t, goes(one), "no program is there: all is being destroyed")
	assert.Empty(t, w.switches)
	shared := guard(one, known).Set("shared", property.New(true))
	require.ErrorContains(t, g.Delete(p.DeleteRequest{ID: "guard", Urn: guardURN, Properties: shared, Timeout: g.timeout}),
		"the machine of postgres-1 cannot be deleted together with the cluster: other nodes are external")

	diff := func(machine property.Value) p.DiffResponse {
		resp, err := g.Diff(p.DiffRequest{ID: "guard", Urn: guardURN, State: guard(one, known), OldInputs: guard(one, known), Inputs: guard(one, machine)})
		require.NoError(t, err)
		return resp
	}
	assert.False(t, diff(known).HasChanges)
	gone := diff(property.New("m2"))
	assert.Equal(t, p.Update, gone.DetailedDiff["machine"].Kind, "the machine before is gone already")
	require.NoError(t, goes(one), "still no program")
	going := diff(property.New(property.Computed))
	assert.True(t, going.DeleteBeforeReplace)
	assert.Equal(t, p.UpdateReplace, going.DetailedDiff["machine"].Kind)
	require.ErrorContains(t, goes(one), "the machine of postgres-1 cannot be deleted in this update, which leaves out main-plan")

	says := func(suffix string, in map[string]any) {
		checked, err := g.Check(p.CheckRequest{Urn: urn.URN("urn:pulumi:stack::project::quorum:index:PostgresCluster$quorum:index:PostgresHealth::main-" + suffix), Inputs: toMap(in)})
		require.NoError(t, err)
		require.Empty(t, checked.Failures)
	}
	says("without-postgres-1", w.inputs("without", "postgres-1", "synchronousStandbys", 1))
	w.change(func() {
		w.config["quorum_nodes"] = map[string]any{"postgres-2": map[string]any{}, "postgres-3": map[string]any{}}
	})
	w.nodes[2].freeze()
	g.timeout = 4
	require.ErrorContains(t, goes(one), "the machine of postgres-1 cannot be deleted now: timed out after 4s: postgres-3: does not answer: no answer in time")
	assert.Empty(t, w.switches)
	require.NoError(t, goes(w.nodes[2]), "one that is frozen may go")

	w.change(func() { w.nodes = w.nodes[:2] }) // postgres-3 has left the program
	says("healthy", w.inputs("synchronousStandbys", 1))
	g.timeout = 30
	w.change(func() { w.config["quorum_nodes"] = map[string]any{} })
	require.NoError(t, goes(one))
	assert.Equal(t, []string{"postgres-1 to postgres-2"}, w.switches, "it hands over first")
	skip := w.inputs("skipHealthChecks", true)
	says("healthy", skip)
	w.nodes[0].gone()
	require.NoError(t, goes(w.nodes[1]), "skipHealthChecks passes")
	require.NoError(t, goes(w.nodes[1]), "also when it is tried again")
	require.ErrorContains(t, goes(w.nodes[0]), "the machine of postgres-1 cannot be deleted in this update: skipHealthChecks is on, and the machine of postgres-2 is already being deleted")
}

// TestGuardOfTheOnlyNode has its machine be deleted with its data, and without them.
func TestGuardOfTheOnlyNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 177, "postgres-1")
	w.nodes[0].start()
	w.change(func() { w.leader = "postgres-1" })
	const guardURN = "urn:pulumi:stack::project::quorum:index:PostgresCluster$quorum:index:PostgresGuard::main-guard-postgres-1"
	guard := func(machine, data property.Value) property.Map {
		in := toMap(map[string]any{"gate": "main-plan", "node": map[string]any{"name": "postgres-1", "ip": w.nodes[0].ip, "apiPort": w.port}})
		return in.Set("machine", machine).Set("data", data)
	}
	is, computed := guard(property.New("m1"), property.New("v1")), property.New(property.Computed)
	goes := func(then property.Map, more ...any) error {
		g := newGate(t, w.inputs())
		_, err := g.Check(p.CheckRequest{Urn: "urn:pulumi:stack::project::quorum:index:PostgresCluster$quorum:index:PostgresHealth::main-healthy", Inputs: toMap(w.inputs(more...))})
		require.NoError(t, err)
		_, err = g.Diff(p.DiffRequest{ID: "guard", Urn: guardURN, State: is, OldInputs: is, Inputs: then})
		require.NoError(t, err)
		return g.Delete(p.DeleteRequest{ID: "guard", Urn: guardURN, Properties: is, Timeout: 20})
	}
	require.NoError(t, goes(guard(computed, property.New("v1"))), "its data stay")
	require.EqualError(t, goes(guard(computed, computed)), "the machine of postgres-1 cannot be deleted now: its data would be lost with it, and no other node has them. "+
		"Add a node first, in an update of its own, or allow the loss with allowDataLoss: true")
	require.NoError(t, goes(guard(computed, computed), "allowDataLoss", true))
}
