package health_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUpgradeKeepsTheWayBack refuses, in preview too, to take out the node that has the former data, until it is finished.
func TestUpgradeKeepsTheWayBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 242, names(3)...).up()
	w.change(func() {
		w.setMarker(map[string]any{"id": "x", "from": "15", "to": "17", "action": "run", "stage": "done", "keeper": "postgres-3"})
	})
	plan := func(action string, nodes int) map[string]any {
		in := w.inputs("plan", map[string]any{
			"keys": "/service/main/", "upgrade": map[string]any{"from": "15", "to": "17", "action": action},
			"data": map[string]any{"postgres-1": "one", "postgres-2": "one", "postgres-3": "one"},
		})
		in["nodes"] = in["nodes"].([]any)[:nodes]
		return in
	}
	g := newGate(t, plan("run", 3))
	require.NoError(t, g.create(false))
	require.ErrorContains(t, g.update(plan("run", 2)), "nodes: must keep postgres-3, and its data volume, which has the data of PostgreSQL 15")
	moved := plan("run", 3)
	moved["plan"].(map[string]any)["data"] = map[string]any{"postgres-3": "another pool"}
	require.ErrorContains(t, g.update(moved), "nodes: must keep postgres-3, and its data volume")
	moved["plan"].(map[string]any)["data"] = map[string]any{"postgres-2": "another pool"}
	require.NoError(t, g.update(moved))
	require.NoError(t, g.update(plan("finish", 3)))
	w.change(func() { w.setMarker(map[string]any{"stage": "finished", "action": "finish"}) })
	require.NoError(t, g.update(plan("finish", 2)))
}

// TestUpgradeKeepsTheDataOfTheWayBack does not let the machine of that node go without its data, as with --replace of its volume.
func TestUpgradeKeepsTheDataOfTheWayBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 248, names(3)...).up()
	w.change(func() {
		w.setMarker(map[string]any{"id": "x", "from": "15", "to": "17", "action": "run", "stage": "done", "keeper": "postgres-1"})
	})
	require.NoError(t, w.destroys(newGate(t, w.inputs()), false))
	require.ErrorContains(t, w.destroys(newGate(t, w.inputs()), true), "the machine of postgres-1 cannot be deleted now: must keep postgres-1, and its data volume")
	w.change(func() { w.setMarker(map[string]any{"stage": "finished", "action": "finish"}) })
	require.NoError(t, w.destroys(newGate(t, w.inputs()), true))
}
