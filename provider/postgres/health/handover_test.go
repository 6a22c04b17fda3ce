package health

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// TestHandover asks a real source to refuse writes once the standby follows it, and is done when that has all, in one look.
func TestHandover(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	h := p.handover()
	p.lacks(h, p.standby(1, func(a *answer) { a.err = assert.AnError }), "a: is the leader, and does not answer")
	p.lacks(h, view{answers: p.standby(1, nil).answers, cluster: &cluster{}}, "no node is seen to lead the standby cluster")
	p.lacks(h, p.standby(1, func(a *answer) { a.State = "starting" }), "a: is the leader, and is not ready")
	p.ready = "no node takes it"
	p.lacks(h, p.standby(1, nil), "no node takes it")
	p.ready = ""
	assert.Zero(t, h.mark)

	// It gets what the source writes first, on its timeline, and is not far behind.
	p.lacks(h, p.standby(1, nil), "a: has WAL up to 0/1 of timeline 1, which is ")
	assert.Positive(t, h.mark)
	p.lacks(h, p.standby(h.mark-1, nil), "and is less than 32 MB behind")
	p.lacks(h, p.standby(h.mark, func(a *answer) { a.Timeline = 2 }), "of timeline 2, which is ")
	far := *h
	p.pg.SQL("postgres", "CREATE TABLE t AS SELECT repeat('x', 200) FROM generate_series(1, 200000)")
	p.lacks(&far, p.standby(h.mark, nil), "it is asked to refuse writes when the standby follows")
	far.grew = ago(patience)
	p.fails(&far, p.standby(h.mark, nil), "of which nothing has come for 2m0s: the source takes writes, and is not asked to refuse them")
	far.grew, far.marked = time.Now(), ago(patience)
	p.lacks(&far, p.standby(h.mark, nil), "bytes behind")
	assert.Greater(t, far.mark, h.mark, "that it followed some time ago is not enough")
	assert.False(t, p.refuses())
	assert.Empty(t, fenceOf(t.Context(), p.state()))
	assert.Contains(t, h.tellsOfSource(t.Context(), p.standby(1, nil).answers["a"]), "before, this update has it refuse writes")

	*h = far
	p.lacks(h, p.standby(h.mark, nil), "yet to come")
	assert.True(t, p.refuses())
	assert.Contains(t, h.tellsOfSource(t.Context(), p.standby(1, nil).answers["a"]), "refuses writes already")
	assert.Contains(t, fenceOf(t.Context(), p.state()), "refuses writes (default_transaction_read_only), as after a promotion that did not come to its end")
	p.lacks(h, p.standby(h.fenced.UpTo-1, nil), "which is 1 bytes behind the source")
	p.lacks(h, p.standby(h.fenced.UpTo, func(a *answer) { a.Timeline = 2 }), "of timeline 2, which is 0 bytes behind the source")
	p.promotes(h, p.standby(h.fenced.UpTo, nil))
	p.lacks(h, p.standby(h.fenced.UpTo-1, nil), "which is 1 bytes behind the source") // as a leader that has lost what was not flushed
	late := *h
	late.grew = ago(patience)
	p.fails(&late, p.standby(h.fenced.UpTo-1, nil), "It was asked to refuse writes ")
	late = *h
	late.asked = ago(promoteLimit)
	p.fails(&late, p.standby(h.fenced.UpTo-1, nil), "It was asked to refuse writes 10m1s ago")
	next := p.handover() // of another update, which asks at once, as it refuses writes already
	p.lacks(next, p.standby(1, nil), "yet to come")
	p.promotes(next, p.standby(next.fenced.UpTo, nil))
}

// TestHandoverOfTheWrongSource asks for nothing where another cluster answers, or writes would go on, and says so.
func TestHandoverOfTheWrongSource(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	h := p.handover()
	other := p.standby(1, func(a *answer) { a.SystemID, a.ReplicationState = "1", "" })
	p.lacks(h, other, "the source is yet to be seen to refuse writes: it is another cluster")
	h.failing = ago(patience)
	p.fails(h, other, "the source lives, and is not seen to refuse writes: it is another cluster")
	p.fails(h, other, "edit-config --force --set standby_cluster=null")
	assert.Contains(t, h.tellsOfSource(t.Context(), other.answers["a"]), "it is another cluster")

	h = p.handover()
	p.pg.SQL("postgres", "CREATE ROLE app", "ALTER ROLE app SET default_transaction_read_only = false")
	const first = "some writes would get around its refusal; run there first: ALTER ROLE app RESET default_transaction_read_only"
	p.lacks(h, p.standby(1, nil), first)
	assert.Contains(t, h.tellsOfSource(t.Context(), other.answers["a"]), "it is another cluster")
	assert.Contains(t, h.tellsOfSource(t.Context(), p.standby(1, nil).answers["a"]), first)
	h.failing = ago(patience)
	p.fails(h, p.standby(1, nil), first)
	assert.False(t, p.refuses())
}

// TestHandoverWhileTheSourceFailsOver asks again whoever leads the source then, or whose setting is taken back: what was seen
// before counts no more.
func TestHandoverWhileTheSourceFailsOver(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	h := p.fenced()
	was, err := p.source.Unfence(t.Context())
	require.NoError(t, err)
	assert.True(t, was)
	assert.False(t, p.refuses())
	was, err = p.source.Unfence(t.Context())
	require.NoError(t, err)
	assert.False(t, was)
	before := h.fenced.UpTo
	p.lacks(h, p.standby(before, func(a *answer) { a.Timeline = 2 }), "it is asked to refuse writes when the standby follows")
	assert.False(t, p.refuses())
	p.lacks(h, p.standby(before, nil), "yet to come")
	assert.True(t, p.refuses())
	p.promotes(h, p.standby(h.fenced.UpTo, nil))

	h.fenced.Timeline = 7
	p.lacks(h, p.standby(h.fenced.UpTo, nil), "yet to come")
	assert.Equal(t, 1, h.fenced.Timeline)
}

// TestHandoverOfASourceThatIsGone promotes without one of which nothing is seen for long enough, whatever the standby has, and
// with none of which anything is.
func TestHandoverOfASourceThatIsGone(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	fenced := p.fenced()
	fenced.source = p.away()
	for name, h := range map[string]*handover{"never asked": {source: p.away(), asks: true}, "asked": fenced} {
		has := max(1, fenced.fenced.UpTo)
		p.lacks(h, p.standby(has, silentStandby), "no PostgreSQL that takes writes answers at 127.0.0.1:1") // it may come back, or another lead there
		h.seen, h.failing = ago(patience), ago(patience)
		streams, grows := *h, *h
		p.fails(&streams, p.standby(has, nil), "the source lives, and is not seen to refuse writes")
		p.lacks(&grows, p.standby(has+1, silentStandby), "is yet to be seen to refuse writes")
		p.promotes(h, p.standby(has-1, silentStandby))
		assert.True(t, h.isLeft, name)
	}
	h := p.handover()
	h.failing, h.seen = ago(patience), ago(patience)
	h.source = &admin.Connection{Endpoints: []string{p.pg.Endpoint()}, CACert: "none", Password: p.source.Password}
	p.fails(h, p.standby(1, silentStandby), "caCert has no certificate") // a fault of this side tells nothing of the source
	assert.Contains(t, (&handover{source: p.away(), asks: true}).tellsOfSource(t.Context(), answer{}), "Nothing is heard of the source from here")
	assert.Contains(t, (&handover{}).tellsOfSource(t.Context(), answer{}), "is not asked")
}

// TestHandoverThatFails says who is left refusing writes, and how to undo that, also if an update before has asked for it.
func TestHandoverThatFails(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	m := &promotion{handover: *p.handover()}
	assert.Empty(t, m.left(t.Context()))
	fenced := p.fenced()
	for name, m := range map[string]*promotion{"this update": {handover: *fenced}, "one before": {handover: *p.handover()}} {
		left := m.left(t.Context())
		assert.Contains(t, left, "The source, at "+p.pg.Endpoint()+", was asked to refuse writes. `pulumi up` again goes on", name)
		assert.Contains(t, left, "ALTER SYSTEM RESET default_transaction_read_only' -c 'SELECT")
		assert.Contains(t, left, "standby_cluster=null")
	}
	m.ordered = true
	left := m.left(t.Context())
	assert.Contains(t, left, "Patroni has the order to promote")
	assert.NotContains(t, left, "RESET", "both would take writes")
	m.source = p.away()
	assert.Contains(t, m.left(t.Context()), "is not seen from here. If it does")
	m.source = nil
	assert.Empty(t, m.left(t.Context()))
}

// TestHandoverIsUndone has nodes take writes whose data are a copy of those of a source that refused them, also that which does
// not lead; by a password alone, as where the backups of the source are followed.
func TestHandoverIsUndone(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.fenced()
	copied := p.pg.Standby()
	key, err := os.ReadFile(p.pg.Dir + "/server.key")
	require.NoError(t, err)
	args := HealthArgs{Nodes: []Node{{Name: "a"}, {Name: "b"}, {Name: "away"}}, CACert: p.pg.CACert(), ClientCert: p.pg.CACert(), ClientKey: string(key)}
	before := HealthState{Source: &admin.Connection{Password: p.source.Password}}
	m := &promotion{gate: &gate{HealthArgs: args}, own: before.Source, handover: args.handsOver(before)}
	m.at = func(n Node) string {
		return map[string]string{"a": p.pg.Endpoint(), "b": copied.Endpoint(), "away": "127.0.0.1:1"}[n.Name]
	}
	assert.False(t, m.asks)
	m.unfence(t.Context())
	assert.False(t, p.refuses())
	assert.Equal(t, "off", copied.SQL("postgres", "SHOW default_transaction_read_only"))
}
