package health_test

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// upgrading has nodes of w do what they are asked for: a stage every so often, with what else they say.
func (w *world) upgrading(t *testing.T, says map[string]any, stages ...string) {
	t.Helper()
	go func() {
		if _, asked := <-w.asksForUpgrade(t); !asked {
			return
		}
		for _, next := range stages {
			time.Sleep(500 * time.Millisecond)
			w.change(func() { w.setMarker(merged(says, "stage", next)) })
		}
	}()
}

// asksForUpgrade sends once somebody has ordered one.
func (w *world) asksForUpgrade(t *testing.T) <-chan string {
	t.Helper()
	asked := make(chan string, 1)
	go func() {
		defer close(asked)
		for t.Context().Err() == nil {
			ordered := false
			w.change(func() { ordered = w.takeUp() })
			if ordered {
				asked <- "ordered"
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	return asked
}

// takeUp has the leader take up what is asked for, as package upgrade does.
func (w *world) takeUp() bool {
	order := w.text("quorum_upgrade_order")
	if len(order) == 0 {
		return false
	}
	delete(w.config, "quorum_upgrade_order")
	w.setMarker(merged(order, "stage", "ordered", "problems", []any{}))
	return true
}

func (w *world) text(key string) map[string]any {
	all := map[string]any{}
	if text, is := w.config[key].(string); is {
		_ = json.Unmarshal([]byte(text), &all)
	}
	return all
}

func (w *world) marker() map[string]any { return w.text("quorum_upgrade") }

func (w *world) setMarker(says map[string]any) {
	all := w.marker()
	maps.Copy(all, says)
	text, _ := json.Marshal(all)
	w.config["quorum_upgrade"] = string(text)
}

func merged(says map[string]any, more ...any) map[string]any {
	all := maps.Clone(says)
	if all == nil {
		all = map[string]any{}
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i].(string)] = more[i+1]
	}
	return all
}

func (w *world) asks(action string) map[string]any {
	return w.inputs("upgrade", map[string]any{"from": "15", "to": "17", "action": action, "withoutBackup": true})
}

// TestUpgrade has a gate ask for each action, wait, and end with what was found.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	made := map[string]any{"from": "15", "to": "17", "action": "run", "stage": "done", "keeper": "postgres-3", "nodes": []any{"postgres-1"}}
	for i, c := range []struct {
		what, action string
		before       map[string]any
		says         map[string]any
		stages       []string
		asked        bool
		err          string
	}{
		{"a check", "check", nil, nil, []string{"checking", "checked"}, true, ""},
		{"what is in the way", "check", nil, map[string]any{"problems": []any{"the prepared transaction x", "no room"}}, []string{"checking", "refused"}, true, "PostgreSQL 15 cannot be upgraded to 17 yet; it runs as before:\n- the prepared transaction x\n- no room"},
		{"an upgrade", "run", nil, map[string]any{"base": "postgres-1"}, []string{"checking", "stopping", "stopped", "starting", "replicas", "done"}, true, ""},
		{"after a failed one", "run", merged(made, "stage", "refused", "problems", []any{"that time"}), map[string]any{"base": "postgres-1"}, []string{"checking", "done"}, true, ""},
		{"one that was made before", "run", made, nil, nil, false, ""},
		{"a check of one that was made", "check", made, nil, nil, false, "the data are of PostgreSQL 17 already: there is nothing to check"},
		{"finish", "finish", made, nil, []string{"finishing", "finished"}, true, ""},
		{"finish again", "finish", merged(made, "stage", "finished", "action", "finish"), nil, nil, false, ""},
		{"finish of nothing", "finish", nil, nil, nil, false, "there is nothing to finish: no upgrade from 15 to 17 was made"},
		{"revert", "revert", made, nil, []string{"stopping", "starting", "replicas", "reverted"}, true, ""},
		{"revert of one that failed", "revert", merged(made, "stage", "refused"), nil, nil, false, ""},
		{"revert of none", "revert", nil, nil, nil, false, ""},
		{"revert of one that is finished", "revert", merged(made, "stage", "finished"), nil, nil, false, "the data of PostgreSQL 15 are deleted"},
		{"run after a revert", "run", merged(made, "stage", "reverted", "action", "revert"), nil, []string{"checking", "done"}, true, ""},
		{"run after a revert by hand", "run", merged(made, "stage", "reverted", "byHand", true), nil, nil, false, "PostgreSQL was brought back to 15 by hand"},
		{"revert after one by hand", "revert", merged(made, "stage", "reverted", "byHand", true), nil, []string{"reverted"}, true, ""},
		{"revert that fails", "revert", made, map[string]any{"problems": []any{"postgres-2 did not stop"}}, []string{"stopping", "done"}, true, "PostgreSQL 17 could not be brought back to 15; it runs as before:\n- postgres-2 did not stop"},
		{"revert of a check that does not end", "revert", merged(made, "stage", "checking"), nil, []string{"reverted"}, true, ""},
		{"while another is under way", "run", merged(made, "stage", "replicas", "to", "16"), nil, nil, false, "another upgrade of the cluster is under way: run from 15 to 16, replicas"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 215+i, names(3)...).up()
			if c.before != nil {
				w.change(func() { w.setMarker(c.before) })
			}
			before := w.marker()["id"]
			w.upgrading(t, c.says, c.stages...)
			g := newGate(t, w.asks(c.action))
			g.timeout = 60
			require.NoError(t, g.create(true), "a preview asks for nothing")
			assert.Equal(t, before, w.marker()["id"])
			err := g.create(false)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
			now := w.marker()
			assert.Equal(t, c.asked, now["id"] != before, "whether it was asked for")
			if c.action == "finish" && c.asked || c.action == "revert" && c.asked {
				assert.Equal(t, "postgres-3", now["keeper"], "what nodes know stays")
			}
		})
	}
}

// TestUpgradeAfterARestore takes an upgrade for made no more where a backup of before was restored: PostgreSQL says so.
func TestUpgradeAfterARestore(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		stage, action string
		stages        []string
		err           string
	}{
		{"finished", "run", []string{"checking", "done"}, ""},
		{"finished", "check", []string{"checking", "checked"}, ""},
		{"done", "run", []string{"checking", "done"}, ""},
		{"done", "finish", nil, "there is nothing to finish: no upgrade from 15 to 17 was made"},
	} {
		t.Run(c.stage+" "+c.action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 243+i, names(3)...).up()
			w.change(func() {
				w.version = 150018
				w.setMarker(map[string]any{"id": "x", "from": "15", "to": "17", "action": "run", "stage": c.stage, "has": "17"})
			})
			w.upgrading(t, nil, c.stages...)
			g := newGate(t, w.asks(c.action))
			g.timeout = 60
			err := g.create(false)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.NotEqual(t, "x", w.marker()["id"], "it was asked for")
		})
	}
}

// TestUpgradeIsTakenOut lets a program be without an upgrade that was never begun, as where its version is not to be had; and
// tells of nodes that were not there.
func TestUpgradeIsTakenOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 249, names(3)...).up()
	plan := func(version, action string) map[string]any {
		p := map[string]any{"keys": "/service/main/", "version": version}
		if action != "" {
			p["upgrade"] = map[string]any{"from": "15", "to": "17", "action": action}
		}
		return w.inputs("plan", p)
	}
	out := plan("15", "")
	g := newGate(t, plan("17", "run"))
	require.NoError(t, g.create(false))
	for _, c := range []struct {
		marker map[string]any
		err    string
	}{
		{map[string]any{"stage": "stopped"}, "the upgrade from 15 to 17 is stopped. It is ended by upgrade.finish or upgrade.revert"},
		{map[string]any{"stage": "done"}, "is done"},
		{map[string]any{"stage": "refused"}, ""},
	} {
		w.change(func() { w.setMarker(merged(c.marker, "id", "x", "from", "15", "to", "17", "action", "run")) })
		state, inputs := g.state, g.inputs
		if err := g.update(out); c.err != "" {
			require.ErrorContains(t, err, c.err)
		} else {
			require.NoError(t, err)
			g.state, g.inputs = state, inputs
		}
	}
	w.change(func() { delete(w.config, "quorum_upgrade") })
	require.NoError(t, g.update(out), "it was never begun")

	g = newGate(t, plan("17", "run"))
	require.NoError(t, g.create(false))
	for _, n := range w.nodes {
		n.die()
	}
	require.ErrorContains(t, g.update(out), "no node says whether the upgrade from 15 to 17 was begun")
}

// TestUpgradeGoesOn has a gate join what an update that was killed has asked for, while no node answers.
func TestUpgradeGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 229, names(3)...).up()
	w.change(func() {
		w.setMarker(map[string]any{"id": "earlier", "from": "15", "to": "17", "action": "run", "stage": "stopped", "base": "postgres-1"})
	})
	for _, n := range w.nodes {
		n.die()
	}
	w.later(func() {
		w.change(func() { w.setMarker(map[string]any{"stage": "done"}) })
		w.nodes[1].start()
	})
	g := newGate(t, w.asks("run"))
	g.timeout = 60
	require.NoError(t, g.create(false))
	assert.Equal(t, "earlier", w.marker()["id"])
}

// TestUpgradeAskedFor has a gate wait for what was asked for by an update that was killed before a node took it up, and ask
// again where it was not taken.
func TestUpgradeAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 241, names(3)...).up()
	w.change(func() {
		w.setMarker(map[string]any{"id": "earlier", "from": "15", "to": "17", "action": "check", "stage": "checked"})
		w.config["quorum_upgrade_order"] = `{"id": "asked", "from": "15", "to": "17", "action": "run"}`
	})
	require.NoError(t, newGate(t, w.asks("revert")).create(false))
	assert.Empty(t, w.text("quorum_upgrade_order"), "there is nothing to go back from, and nothing to begin")
	w.change(func() {
		w.config["quorum_upgrade_order"] = `{"id": "asked", "from": "15", "to": "17", "action": "run"}`
	})
	w.upgrading(t, nil, "checking", "done")
	g := newGate(t, w.asks("run"))
	g.timeout = 60
	require.NoError(t, g.create(false))
	assert.Equal(t, "asked", w.marker()["id"])
}

// TestAfterAnUpgrade takes a cluster with another system id for the same if it was upgraded.
func TestAfterAnUpgrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 233, names(3)...).up()
	g := newGate(t, w.inputs())
	require.NoError(t, g.create(false))
	g.state = g.state.Set("systemId", toValue("7268616322854375000"))
	require.ErrorContains(t, g.update(w.inputs("triggers", map[string]any{"upgrade": "run"})), "is the leader of another cluster")
	w.change(func() { w.config["quorum_system_ids"] = []string{"7268616322854375000", "7268616322854375442"} })
	require.NoError(t, g.update(w.inputs("triggers", map[string]any{"upgrade": "run"})))
	assert.Equal(t, "7268616322854375442", g.state.Get("systemId").AsString())
}
