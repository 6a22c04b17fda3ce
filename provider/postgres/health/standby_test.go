package health_test

import (
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
)

const source = "10.1.0.41:5432"

// follows is a cluster that is a standby of another one.
func (w *world) follows() *world {
	for _, n := range w.nodes {
		n.start()
	}
	w.change(func() {
		w.leader = w.nodes[0].name
		w.config["standby_cluster"] = map[string]any{"host": "10.1.0.41", "port": 5432}
		w.config["synchronous_mode"] = false
		w.receives = "streaming"
		for _, n := range w.nodes {
			n.synchronous = false
		}
	})
	return w
}

// TestStandby has gates of a standby cluster, and of one that is none, meet each kind.
func TestStandby(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 230, names(2)...).follows()
	g := newGate(t, w.inputs("standbyOf", source))
	require.NoError(t, g.create(false), "its leader takes no writes, and need not")

	g = newGate(t, w.inputs())
	g.timeout = 3
	require.ErrorContains(t, g.create(false), "postgres-1: follows another cluster, and accepts no writes: `standby_cluster` is among the settings of Patroni")
	require.ErrorContains(t, g.create(false), "If standbyOf was just taken out, `pulumi up` without --target promotes it.")

	for state, told := range map[string]string{"in archive recovery": "in archive recovery", "": "it receives no WAL"} {
		w.change(func() { w.receives = state })
		g = newGate(t, w.inputs("standbyOf", source))
		g.timeout = 3
		require.ErrorContains(t, g.create(false), "postgres-1: is the leader of a standby cluster, and does not stream from the source: "+told)
	}
	w.change(func() { w.receives = "in archive recovery" })
	require.NoError(t, newGate(t, w.inputs("standbyOf", source, "standbyBy", []any{"backup"})).create(false), "it gets WAL from the source's backups")
	w.change(func() { w.receives = "" })
	for _, more := range [][]any{{"node", "postgres-2"}, {"without", "postgres-2"}, {"applyPendingRestarts", true}} {
		require.NoError(t, newGate(t, w.inputs(append(more, "standbyOf", source)...)).create(false), "later updates go on while the source is away: %v", more)
	}
	swapped, of, none := w.health(t, "postgres-2"), source, 0
	swapped.StandbyOf, swapped.SynchronousStandbys = &of, &none
	require.NoError(t, health.Swap{Health: swapped, Restarts: "r1", Limit: 10 * time.Second}.Ask(t.Context()))

	w.change(func() { delete(w.config, "standby_cluster") })
	require.ErrorContains(t, newGate(t, w.inputs("standbyOf", source)).create(false),
		"postgres-1: accepts writes, and by standbyOf the cluster is a standby of "+source+": it was promoted. Take standbyOf out of the program")
}

// TestPromote has the gate of the plan promote, once the program has it so, and others leave that to it.
func TestPromote(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 231, names(2)...).follows()
	plan := map[string]any{"keys": "/service/main/"}
	of := map[string]any{"endpoints": []any{}, "caCert": w.ca.pem, "password": "of-both-places"} // that is followed by its backups alone
	g := newGate(t, w.inputs("standbyOf", source, "plan", plan, "source", of))
	require.NoError(t, g.create(false))
	require.NoError(t, g.update(w.inputs("standbyOf", "10.1.0.42:5432", "plan", plan, "source", of)), "another address of the source")
	assert.NotNil(t, w.config["standby_cluster"])

	checked := g.check(w.inputs("plan", plan, "synchronousStandbys", 1))
	previewed, err := g.Update(p.UpdateRequest{ID: "gate", Urn: gateURN, State: g.state, Inputs: checked, OldInputs: g.inputs, DryRun: true})
	require.NoError(t, err)
	assert.False(t, previewed.Properties.Get("standbyOf").IsString())
	assert.NotNil(t, w.config["standby_cluster"], "a preview promotes nothing")

	require.NoError(t, g.update(w.inputs("plan", plan, "synchronousStandbys", 1)))
	assert.Nil(t, w.config["standby_cluster"])
	assert.Equal(t, true, w.config["synchronous_mode"], "from the first write on, as the program has it")
	require.NoError(t, g.update(w.inputs("plan", plan, "synchronousStandbys", 1)), "once more changes nothing")
}

// TestPromotionByAnotherNode has one node answer and take no settings.
func TestPromotionByAnotherNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 232, names(2)...).follows()
	plan := map[string]any{"keys": "/service/main/"}
	g := newGate(t, w.inputs("standbyOf", source, "plan", plan))
	require.NoError(t, g.create(false))
	w.change(func() { w.nodes[0].lacksEtcd, w.nodes[1].lacksEtcd = true, true })
	g.timeout = 3
	require.ErrorContains(t, g.update(w.inputs("plan", plan)), "postgres-2: did not take the promotion: ")
	w.change(func() { w.nodes[1].lacksEtcd = false })
	require.NoError(t, g.update(w.inputs("plan", plan)))
	assert.Nil(t, w.config["standby_cluster"])
}
