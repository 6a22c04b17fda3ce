package health_test

import (
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
)

const (
	clusterURN    = "urn:pulumi:stack::project::quorum:index:PostgresCluster$quorum:index:"
	firstGuardURN = urn.URN(clusterURN + "PostgresGuard::main-guard-postgres-1")
	neverSeen     = "No update of this cluster has completed yet. If PostgreSQL never ran, `pulumi destroy` loses nothing"
)

// uninitialised gives the nodes no data, and Patroni no configuration in etcd: each node waits
// for another one to initialise the cluster.
func (w *world) uninitialised() *world {
	w.config = nil
	for _, n := range w.nodes {
		n.blank, n.state = true, "stopped"
		n.start()
	}
	return w
}

// destroys has the machine of the first node be replaced, with its data or without.
func (w *world) destroys(g *gate, loses bool) error {
	w.t.Helper()
	n, computed := w.nodes[0], property.New(property.Computed)
	is := toMap(map[string]any{"gate": "main-plan", "machine": "m1", "data": "v1", "node": map[string]any{"name": n.name, "ip": n.ip, "apiPort": w.port}})
	then := is.Set("machine", computed)
	if loses {
		then = then.Set("data", computed)
	}
	_, err := g.Check(p.CheckRequest{Urn: clusterURN + "PostgresHealth::main-healthy", Inputs: toMap(w.inputs("synchronousStandbys", 1))})
	require.NoError(w.t, err)
	_, err = g.Diff(p.DiffRequest{ID: "guard", Urn: firstGuardURN, State: is, OldInputs: is, Inputs: then})
	require.NoError(w.t, err)
	return g.Delete(p.DeleteRequest{ID: "guard", Urn: firstGuardURN, Properties: is, Timeout: 10})
}

// tells has the engine ask whether a gate changes that is in the state.
func (g *gate) tells(name string, inputs, state property.Map) {
	g.t.Helper()
	_, err := g.Diff(p.DiffRequest{ID: name, Urn: urn.URN(clusterURN + "PostgresHealth::" + name), State: state, OldInputs: inputs, Inputs: inputs})
	require.NoError(g.t, err)
}

// TestNeverInitialised has a first update end before the cluster was initialised: what the
// program changes then reaches the machines. Data that may be there are not deleted.
func TestNeverInitialised(t *testing.T) {
	t.Parallel()
	for i, off := range []bool{true, false} {
		w := newWorld(t, 182+i, names(3)...).uninitialised()
		if off {
			for _, n := range w.nodes {
				n.gone()
			}
		}
		another := w.inputs("without", "postgres-1", "synchronousStandbys", 1, "triggers", map[string]any{"image": "2"})
		g := newGate(t, w.inputs("without", "postgres-1", "synchronousStandbys", 1))
		require.NoError(t, g.create(false))
		require.NoError(t, g.update(another), "also where another update of it failed")
		require.NoError(t, health.Swap{Health: w.health(t, "postgres-1"), Restarts: "r1", Limit: 10 * time.Second}.Ask(t.Context()))
		require.NoError(t, w.destroys(g, false))
		if err := w.destroys(g, true); off {
			require.ErrorContains(t, err, neverSeen)
		} else {
			require.NoError(t, err, "it says that it has no data, and Patroni that there was no cluster")
		}
	}
}

// TestInitialising has a node initialise the cluster, which Patroni has noted in etcd: without
// that node all others would wait for it.
func TestInitialising(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 184, names(2)...).uninitialised()
	g := newGate(t, w.inputs("without", "postgres-1", "synchronousStandbys", 1))
	require.NoError(t, g.create(false))
	w.change(func() { w.nodes[0].state = "creating replica" })
	require.ErrorContains(t, w.destroys(g, false), "postgres-1: is initialising the cluster: uninitialized, state creating replica", "it copies the data of the source")
	w.change(func() { w.nodes[0].state = "initializing new cluster" })
	require.ErrorContains(t, w.destroys(g, false), "the machine of postgres-1 cannot be deleted now: timed out after 10s: postgres-1: is initialising the cluster: uninitialized, state initializing new cluster")
	w.later(func() {
		w.change(func() {
			w.nodes[0].blank, w.nodes[0].state, w.leader, w.config = false, "running", "postgres-1", map[string]any{}
		})
	})
	require.NoError(t, w.destroys(g, false), "it was the only one that joined")
	require.ErrorContains(t, w.destroys(g, true), "its data would be lost with it, and no other node has them")
}

// TestLeaderSeenByTheGuard has a guard itself see the leader, and no node answer from then on.
func TestLeaderSeenByTheGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 186, names(3)...).up()
	w.config["quorum_nodes"] = map[string]any{"postgres-1": map[string]any{}, "postgres-2": map[string]any{}, "postgres-3": map[string]any{}}
	w.nodes[2].gone() // so that it waits
	w.later(func() {
		for _, n := range w.nodes[:2] {
			n.die()
		}
	})
	require.ErrorContains(t, w.destroys(newGate(t, w.inputs()), false), "The cluster was initialised before, and one of its nodes may be the leader.")
}

// TestNeverInitialisedAndChanged has an update of other inputs come between the first update
// and another image: no node counts as one that has joined.
func TestNeverInitialisedAndChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 187, names(3)...).uninitialised()
	for _, n := range w.nodes {
		n.gone()
	}
	without := func(image string) map[string]any {
		return w.inputs("without", "postgres-1", "synchronousStandbys", 1, "triggers", map[string]any{"image": image})
	}
	g := newGate(t, without("1"))
	require.NoError(t, g.create(false))
	w.nodes = w.nodes[:2] // the third one leaves the program
	require.NoError(t, g.update(without("1")))
	assert.Zero(t, g.state.Get("joined").AsArray().Len())
	g.timeout = 12
	require.NoError(t, g.update(without("2")))
}

// TestFailedAndAskedAgain has a gate in front of a node fail, and be asked for the same again.
func TestFailedAndAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 188, names(3)...).up()
	w.config["quorum_nodes"] = map[string]any{"postgres-1": map[string]any{}, "postgres-2": map[string]any{}, "postgres-3": map[string]any{}}
	w.nodes[2].gone()
	in := w.inputs("without", "postgres-1", "synchronousStandbys", 1)
	g := newGate(t, in)
	made, err := g.Create(p.CreateRequest{Urn: gateURN, Properties: g.inputs, Timeout: 3})
	require.ErrorContains(t, err, "postgres-3: does not answer: connection refused")
	require.NotNil(t, made.PartialState)
	g.state, g.timeout = made.Properties, 3
	require.ErrorContains(t, g.update(in), "postgres-3: does not answer: connection refused")
}

// TestNodeNamedHealthy has the gate of a node be named like the last one of a cluster.
func TestNodeNamedHealthy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 189, names(2)...).uninitialised()
	for _, n := range w.nodes {
		n.gone()
	}
	g := newGate(t, w.inputs("node", "postgres-2"))
	g.tells("main-pg-healthy", g.inputs, property.NewMap(map[string]property.Value{"systemId": property.New("")}))
	require.NoError(t, w.destroys(g, false), "no gate has seen the cluster")
}

// TestInitialisedByAnUpdateThatFailed has a first update fail after there was a leader, or
// complete. When no node answers then, the cluster is not taken for one that was never
// initialised.
func TestInitialisedByAnUpdateThatFailed(t *testing.T) {
	t.Parallel()
	const refused = "no node reports the state of the cluster: postgres-1: connection refused, postgres-2: connection refused\nThe cluster was initialised before, and one of its nodes may be the leader. If the machines are off, `pulumi up --refresh` starts them"
	w := newWorld(t, 185, names(2)...).up()
	w.nodes[1].gone()
	first := newGate(t, w.inputs("node", "postgres-2"))
	made, err := first.Create(p.CreateRequest{Urn: gateURN, Properties: first.inputs, Timeout: 3})
	require.ErrorContains(t, err, "postgres-2: does not answer: connection refused")
	require.NotNil(t, made.PartialState, "the state is saved")
	assert.Equal(t, "7268616322854375442", made.Properties.Get("systemId").AsString())
	read, err := first.Read(p.ReadRequest{ID: "gate", Urn: gateURN, Inputs: first.inputs, Properties: made.Properties})
	require.NoError(t, err)
	again, err := first.Diff(p.DiffRequest{ID: "gate", Urn: gateURN, State: read.Properties, OldInputs: read.Inputs, Inputs: first.inputs})
	require.NoError(t, err)
	assert.True(t, again.HasChanges, "also after a refresh")
	first.state, first.timeout = read.Properties, 3
	require.ErrorContains(t, first.update(w.inputs("node", "postgres-2")), "postgres-2: does not answer: connection refused")
	w.nodes[0].gone()

	g := newGate(t, w.inputs())
	require.NoError(t, w.destroys(g, false), "no gate is in the state")
	g.tells("main-postgres-2", first.inputs, made.Properties)
	require.ErrorContains(t, w.destroys(g, false), refused)

	g = newGate(t, w.inputs())
	g.tells("main-healthy", g.inputs, property.NewMap(map[string]property.Value{"systemId": property.New("")}))
	require.ErrorContains(t, w.destroys(g, false), refused, "skipHealthChecks was on when the first update ended")
}
