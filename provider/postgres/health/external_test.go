package health_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
)

// external are the inputs of a gate of the nodes given, all of which but ours are somebody else's.
func (w *world) external(nodes []string, ours []string, more ...any) map[string]any {
	in := w.inputs(append([]any{"synchronousStandbys", 1}, more...)...)
	var some []any
	for i, n := range w.nodes {
		for _, name := range nodes {
			if n.name != name {
				continue
			}
			given := in["nodes"].([]any)[i].(map[string]any)
			isOurs := false
			for _, own := range ours {
				isOurs = isOurs || own == name
			}
			if !isOurs {
				given["external"] = true
			}
			some = append(some, given)
		}
	}
	in["nodes"] = some
	return in
}

// TestExternalNodes has gates of nodes that others have made: nothing is written of them, and what the program does not
// name is left alone.
func TestExternalNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 243, names(3)...).up()
	g := newGate(t, w.external(names(3), nil))
	require.NoError(t, g.create(false))
	assert.Len(t, list(g.state.Get("joined")), 3)
	_, has := w.config["quorum_nodes"]
	assert.False(t, has, "the cluster's configuration is as it was")

	require.NoError(t, g.update(w.external(names(3), []string{"postgres-3"})))
	assert.Nil(t, w.noted("postgres-1"))
	assert.NotNil(t, w.noted("postgres-3"), "of ours it is noted")
	require.NoError(t, g.update(w.external(names(3), nil, "triggers", map[string]any{"back": "1"})))

	_, has = w.config["quorum_nodes"]
	assert.False(t, has, "all are somebody else's again")

	// A standby that the program does not name keeps its place, whether it was named before or not.
	strange := newGate(t, w.external([]string{"postgres-1", "postgres-3"}, nil))
	strange.timeout = 4
	require.ErrorContains(t, strange.create(false), `postgres-2 is one, which is none of the nodes: add {name: postgres-2, external: true, ip: "127.0.243.2"} to nodes`)
	assert.Empty(t, w.restarts)
	g.timeout = 4
	require.ErrorContains(t, g.update(w.external([]string{"postgres-1", "postgres-3"}, nil)), "postgres-2 is one, which is none of the nodes")
	assert.Empty(t, w.restarts, "nobody deletes its machine")

	strange = newGate(t, w.external([]string{"postgres-2", "postgres-3"}, nil))
	require.ErrorContains(t, strange.create(false), `postgres-1 leads the cluster, and is none of the nodes: add {name: postgres-1, external: true, ip: "127.0.243.1"} to nodes`)
	assert.Empty(t, w.switches)
}

// TestExternalNodeThatIsAway has the others not do without one while an external one is away.
func TestExternalNodeThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 244, names(3)...).up()
	w.nodes[2].gone()
	g := newGate(t, w.external(names(3), []string{"postgres-1"}, "without", "postgres-1"))
	g.timeout = 4
	require.ErrorContains(t, g.create(false), "postgres-3: does not answer")
	assert.Empty(t, w.switches)
	g = newGate(t, w.external(names(3), names(3), "without", "postgres-1"))
	require.NoError(t, g.create(false), "one of ours that nobody has seen is not there yet")
	assert.Equal(t, []string{"postgres-1 to postgres-2"}, w.switches)
}

// TestExternalClusterMustBeThere has a gate of external nodes not take the lack of a leader for a cluster that is yet to be
// founded.
func TestExternalClusterMustBeThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 245, names(2)...)
	g := newGate(t, w.external(names(2), []string{"postgres-1"}, "without", "postgres-1"))
	g.timeout = 3
	require.ErrorContains(t, g.create(false), "no node reports the state of the cluster")
	g = newGate(t, w.external(names(2), names(2), "without", "postgres-1"))
	require.NoError(t, g.create(false))
}

// TestMachineInTheWay has the gate in front of a machine see that the one in whose place that comes is there still.
func TestMachineInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 246, names(3)...).up()
	in := w.external(names(3), []string{"postgres-1"}, "without", "postgres-1", "triggers", map[string]any{"rebuilds": "a"})
	g := newGate(t, in)
	require.Error(t, g.create(false))
	assert.Equal(t, []string{"postgres-1 to postgres-2"}, w.switches, "it has handed over")
	end := w.nodes[0].exports(func() string { return "quorum_apply_info{generation=\"1\",outcome=\"done\"} 1\n" })
	require.NoError(t, newGate(t, in).create(false), "it is of this package")
	end()
	w.nodes[0].gone()
	end = w.nodes[0].exports(func() string { return "node_time_seconds 1\n" })
	require.ErrorContains(t, newGate(t, in).create(false), "Now a node exporter still answers at 127.0.246.1", "its database is stopped, and the machine runs")
	args := w.health(t, "postgres-1")
	require.ErrorContains(t, args.MayMake(t.Context()), "a node exporter still answers", "right before the machine is made")
	assert.Equal(t, []string{"postgres-1"}, health.Others(t.Context(), w.health(t, "postgres-1"))[:1])
	end()
	require.NoError(t, newGate(t, in).create(false), "it is gone")
	require.NoError(t, args.MayMake(t.Context()))
}

// TestPlanOfEarlierRelease has a gate of an earlier release, which was told of no load balancers, be as it was.
func TestPlanOfEarlierRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 247, names(2)...)
	plan := map[string]any{"keys": "/service/main/"}
	g := newGate(t, w.inputs("plan", plan))
	before := g.inputs
	now := g.check(w.inputs("plan", map[string]any{"keys": "/service/main/", "loadBalancers": []any{
		map[string]any{"endpoint": "127.0.247.9:5432", "replicaEndpoint": "127.0.247.9:5433"},
	}}))
	now = now.Set("clientCert", before.Get("clientCert")).Set("clientKey", before.Get("clientKey"))
	state := property.NewMap(map[string]property.Value{"nodes": before.Get("nodes"), "leader": property.New(""), "members": property.New([]property.Value{}), "timeline": property.New(0.0), "systemId": property.New("")})
	diff, err := g.Diff(p.DiffRequest{ID: "gate", Urn: gateURN, State: state, OldInputs: before, Inputs: now})
	require.NoError(t, err)
	assert.False(t, diff.HasChanges, "%v", diff.DetailedDiff)
}
