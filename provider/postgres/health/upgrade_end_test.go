package health

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWarnsOfNodesThatWereOff names those for which the end of an upgrade comes too early, and says what to do.
func TestWarnsOfNodesThatWereOff(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c"}
	m := marker{order: order{From: "15", To: "17"}, Stage: stageFinished, Joined: map[string]bool{"a": true, "b": true}, Cleaned: map[string]bool{"a": true}}
	out, finish := m.warns(names, true), m.warns(names, false)
	assert.Contains(t, out, "c: has not run since the data are of the other version")
	assert.Contains(t, out, "sudo quorum-apply --retry")
	assert.Contains(t, out, "b: was off, and keeps /var/lib/postgresql/data-15, which nothing removes any more")
	assert.Contains(t, finish, "c: has not run since")
	assert.Contains(t, finish, "as long as upgrade is in the program")
	assert.Empty(t, m.warns([]string{"a"}, true))
	m.Joined, m.Cleaned = nil, nil
	assert.Empty(t, m.warns(names, true), "nobody knows")
}

// TestBegun is an upgrade that has stopped something, or is about to.
func TestBegun(t *testing.T) {
	t.Parallel()
	u := Upgrade{From: "15", To: "17", Action: UpgradeRun}
	at := func(stage string) marker { return marker{order: order{From: "15", To: "17"}, Stage: stage} }
	for stage, want := range map[string]string{"": "", "checked": "", "refused": "", "reverted": "", "checking": "checking", "stopped": "stopped", "done": "done", "finished": ""} {
		assert.Equal(t, want, at(stage).begun(u), stage)
	}
	assert.Empty(t, marker{order: order{From: "14", To: "15"}, Stage: stageFinished}.begun(u), "of another one")
	asked := marker{asked: order{From: "15", To: "17", At: time.Now().Unix()}}
	assert.Equal(t, "asked for", asked.begun(u))
	asked.asked.At -= 4000
	assert.Empty(t, asked.begun(u), "nobody takes it up any more")
}

// TestTooEarly is a program without an upgrade whose version is not that of the data.
func TestTooEarly(t *testing.T) {
	t.Parallel()
	u := Upgrade{From: "15", To: "17", Action: UpgradeCheck} // by the program: nodes may be further
	at := func(stage string) marker { return marker{order: order{From: "15", To: "17"}, Stage: stage} }
	require.NoError(t, u.tooEarly(at("checked"), "15"))
	require.ErrorContains(t, u.tooEarly(at("stopped"), "15"), "the upgrade from 15 to 17 is stopped")
	require.ErrorContains(t, u.tooEarly(at("done"), "17"), "the upgrade from 15 to 17 is done")
	require.NoError(t, u.tooEarly(at("finished"), "17"))
	require.ErrorContains(t, u.tooEarly(at("finished"), "15"), "postgres.version must be 17, which the data are of by now")
}
