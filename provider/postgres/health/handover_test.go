package health

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// TestHandover asks a real source to refuse writes, with what a standby is seen to have: it waits as long as more may come,
// goes on without what never will, and asks for nothing where the standby cannot be promoted, or the source is another cluster.
func TestHandover(t *testing.T) {
	t.Parallel()
	pg, password := localpostgres.Start(t), localpostgres.Password
	source := &admin.Connection{Endpoints: []string{pg.Endpoint()}, CACert: pg.CACert(), Password: &password}
	system := pg.SQL("postgres", "SELECT system_identifier FROM pg_control_system()")
	seen := func(change func(*answer)) view {
		a := answer{status: status{State: running, Role: leadsStandby, Timeline: 1, SystemID: system, ReplicationState: streaming}}
		a.Xlog.ReceivedLocation = 1
		if change != nil {
			change(&a)
		}
		return view{answers: map[string]answer{"a": a}, cluster: &cluster{Members: []member{{Name: "a", Role: leadsStandby}}}}
	}
	ready := func(context.Context, view) string { return "" }
	refuses := func() string { return pg.SQL("postgres", "SHOW default_transaction_read_only") }
	ask := func(h *handover, v view, ready func(context.Context, view) string) (string, error) {
		return h.hasAll(t.Context(), v, ready)
	}

	h := &handover{source: source}
	missing, err := ask(h, seen(func(a *answer) { a.err = assert.AnError }), ready)
	require.NoError(t, err)
	assert.Equal(t, "a: is the leader, and does not answer", missing)
	missing, err = ask(h, view{answers: seen(nil).answers, cluster: &cluster{}}, ready)
	require.NoError(t, err)
	assert.Equal(t, "no node is seen to lead the standby cluster", missing)
	missing, err = ask(h, seen(func(a *answer) { a.State = "starting" }), ready)
	require.NoError(t, err)
	assert.Contains(t, missing, "a: is the leader, and is not ready")
	missing, err = ask(h, seen(nil), func(context.Context, view) string { return "no node takes it" })
	require.NoError(t, err)
	assert.Equal(t, "no node takes it", missing)
	other := seen(func(a *answer) { a.SystemID = "1" })
	missing, err = ask(h, other, ready)
	require.NoError(t, err)
	assert.Contains(t, missing, "the source has yet to refuse writes: it is another cluster")
	h.since = time.Now().Add(-askFor)
	_, err = ask(h, other, ready)
	require.ErrorContains(t, err, "the source lives, and does not refuse writes: it is another cluster")
	require.ErrorContains(t, err, "edit-config --force --set standby_cluster=null")
	assert.Equal(t, "off", refuses(), "it was asked for nothing")
	assert.Contains(t, h.tellsOfSource(t.Context(), system), "before, this update has it refuse writes")
	assert.Contains(t, h.tellsOfSource(t.Context(), "1"), "it is another cluster")

	h = &handover{source: source}
	missing, err = ask(h, seen(nil), ready)
	require.NoError(t, err)
	assert.Contains(t, missing, "yet to come")
	assert.Equal(t, "on", refuses())
	assert.Contains(t, h.tellsOfSource(t.Context(), system), "refuses writes already")
	assert.Contains(t, h.wayBack(), "ALTER SYSTEM RESET default_transaction_read_only' -c 'SELECT")
	h.grew = time.Now().Add(-standstill)
	for text, lacks := range map[string]view{
		"and the source up to":  seen(nil),
		"and the source up":     seen(func(a *answer) { a.ReplicationState = "" }), // also while no more comes: it lives
		"has WAL of timeline 2": seen(func(a *answer) { a.Xlog.ReceivedLocation, a.Timeline = h.fenced.UpTo, 2 }),
	} {
		again := *h
		missing, err = ask(&again, lacks, ready)
		require.NoError(t, err)
		assert.Contains(t, missing, text)
		assert.True(t, again.asks())
	}
	again := *h
	again.grew = time.Now().Add(-askFor)
	missing, err = ask(&again, seen(nil), ready)
	require.NoError(t, err)
	assert.NotEmpty(t, missing, "as long as it streams, more may come")
	_, err = ask(&again, seen(func(a *answer) { a.ReplicationState = "" }), ready)
	require.ErrorContains(t, err, ". It gets no more", "and the source is there: it is not left behind")
	again = *h
	missing, err = ask(&again, seen(func(a *answer) { a.Xlog.ReceivedLocation = h.fenced.UpTo }), ready)
	require.NoError(t, err)
	assert.Empty(t, missing)
	assert.False(t, again.asks(), "the standby has all")

	// Another server leads the source, or somebody has taken the setting back.
	pg.SQL("postgres", "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
	require.Eventually(t, func() bool { return refuses() == "off" }, 10*time.Second, 100*time.Millisecond)
	again = *h
	missing, err = ask(&again, seen(func(a *answer) { a.Xlog.ReceivedLocation = h.fenced.UpTo }), ready)
	require.NoError(t, err)
	assert.Contains(t, missing, "is to refuse writes too")
	_, err = ask(&again, seen(nil), ready)
	require.NoError(t, err)
	assert.Equal(t, "on", refuses())
	was, err := source.Unfence(t.Context())
	require.NoError(t, err)
	assert.True(t, was)
	require.Eventually(t, func() bool { return refuses() == "off" }, 10*time.Second, 100*time.Millisecond)
	was, err = source.Unfence(t.Context())
	require.NoError(t, err)
	assert.False(t, was)

	away := &admin.Connection{Endpoints: []string{"127.0.0.1:1"}, CACert: pg.CACert(), Password: &password}
	silent := seen(func(a *answer) { a.ReplicationState = "" })
	h.source = away // after it has refused writes
	missing, err = ask(h, silent, ready)
	require.NoError(t, err)
	assert.NotEmpty(t, missing, "it may come back")
	h.away = time.Now().Add(-2 * standstill)
	missing, err = ask(h, silent, ready)
	require.NoError(t, err)
	assert.Empty(t, missing)
	assert.False(t, h.asks(), "it has gone with what the standby lacks")

	gone := &handover{source: away}
	missing, err = ask(gone, silent, ready)
	require.NoError(t, err)
	assert.Contains(t, missing, "the source has yet to refuse writes: no PostgreSQL that takes writes answers at 127.0.0.1:1", "it may fail over")
	gone.since = time.Now().Add(-silentFor)
	streams := *gone
	missing, err = ask(&streams, seen(nil), ready)
	require.NoError(t, err)
	assert.NotEmpty(t, missing, "the standby streams from it: it lives")
	grows := *gone
	missing, err = ask(&grows, seen(func(a *answer) { a.ReplicationState, a.Xlog.ReceivedLocation = "", 2 }), ready)
	require.NoError(t, err)
	assert.NotEmpty(t, missing, "more has come: it lives")
	missing, err = ask(gone, silent, ready)
	require.NoError(t, err)
	assert.Empty(t, missing)
	assert.False(t, gone.asks(), "nobody answers")
}
