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

	h := &handover{source: source, since: time.Now()}
	missing, err := ask(h, seen(func(a *answer) { a.err = assert.AnError }), ready)
	require.NoError(t, err)
	assert.Equal(t, "a: is the leader, and does not answer", missing)
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
	require.ErrorContains(t, err, "set skipHealthChecks for this update")
	assert.Equal(t, "off", refuses(), "it was asked for nothing")

	h = &handover{source: source, since: time.Now()}
	missing, err = ask(h, seen(nil), ready)
	require.NoError(t, err)
	assert.Contains(t, missing, "yet to come")
	assert.Equal(t, "on", refuses())
	assert.Contains(t, h.wayBack(), "ALTER SYSTEM RESET default_transaction_read_only")
	for _, lacks := range []view{seen(nil), seen(func(a *answer) { a.ReplicationState = "" }), seen(func(a *answer) { a.Xlog.ReceivedLocation, a.Timeline = h.fenced.UpTo, 2 })} {
		missing, err = ask(h, lacks, ready)
		require.NoError(t, err)
		assert.Contains(t, missing, "and the source up to")
		assert.True(t, h.asks())
	}
	again := *h
	missing, err = ask(&again, seen(func(a *answer) { a.Xlog.ReceivedLocation = h.fenced.UpTo }), ready)
	require.NoError(t, err)
	assert.Empty(t, missing)
	assert.False(t, again.asks(), "the standby has all")
	h.grew = time.Now().Add(-2 * standstill)
	missing, err = ask(h, seen(nil), ready)
	require.NoError(t, err)
	assert.NotEmpty(t, missing, "as long as it streams, more may come")
	missing, err = ask(h, seen(func(a *answer) { a.ReplicationState = "" }), ready)
	require.NoError(t, err)
	assert.Empty(t, missing)
	assert.False(t, h.asks(), "it gets no more")

	gone := &handover{source: &admin.Connection{Endpoints: []string{"127.0.0.1:1"}, CACert: pg.CACert(), Password: &password}, since: time.Now()}
	missing, err = ask(gone, seen(nil), ready)
	require.NoError(t, err)
	assert.Contains(t, missing, "the source has yet to refuse writes: no PostgreSQL that takes writes answers at 127.0.0.1:1", "the standby streams from it: it lives")
	missing, err = ask(gone, seen(func(a *answer) { a.ReplicationState = "" }), ready)
	require.NoError(t, err)
	assert.Empty(t, missing)
	assert.False(t, gone.asks(), "nobody answers")
}
