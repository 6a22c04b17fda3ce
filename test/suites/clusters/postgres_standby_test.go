package clusters

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// places are two clusters of the same authority and passwords, each with etcd, a program and a
// state of its own, and the link by which the second follows the first.
type places struct {
	source, standby *database
	link            *embedetcd.Proxy
	of              string // standbyOf as the second's input
	ca              string
}

const samePasswords = ", superuserPassword: {fn::secret: of-both-places}, replicatorPassword: {fn::secret: of-both-places-too}"

// newPlaces has the first one up.
func newPlaces(t *testing.T) *places {
	t.Helper()
	p := &places{source: newDatabase(t, "postgres-1", "postgres-2"), standby: newDatabase(t, "postgres-b-1", "postgres-b-2"), ca: newAuthority(t).input()}
	address := p.source.subnet + ".99"
	p.source.change(func(o *databaseOptions) {
		o.postgres, o.haproxy = samePasswords, p.ca+"      certificate: {extraIps: ["+address+"]}\n"
	})
	p.source.Up()
	p.link = embedetcd.NewProxy(t, p.source.Outputs()["primary"].([]any)[0].(string))
	p.link.Close()
	p.link.Endpoint = address + ":5432"
	p.link.Open()
	p.of = fmt.Sprintf("      standbyOf: {endpoints: [%q]}\n", p.link.Endpoint)
	p.standby.change(func(o *databaseOptions) { o.postgres, o.haproxy = samePasswords, p.ca+p.of })
	return p
}

// has waits until a place has all rows below n.
func (d *database) hasRows(t *testing.T, n int, endpoint any) {
	t.Helper()
	s := d.superuser(t, endpoint)
	require.Eventually(t, func() bool {
		count, err := s.Count(t.Context(), n)
		return err == nil && count == n
	}, time.Minute, 200*time.Millisecond)
}

// TestDatabaseStandby has a cluster follow one of another place, and take over when the link between
// them is cut. When it is back, the two go on by themselves.
func TestDatabaseStandby(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	p := newPlaces(t)
	a, b := p.source, p.standby
	writes := a.write(t)
	told := b.Up().Diagnostics
	assert.Contains(t, told, "standby of "+p.link.Endpoint+": postgres-b-1 has WAL up to ")
	assert.True(t, b.Up().Unchanged())
	assert.Equal(t, a.Output("systemId"), b.Output("systemId"))
	writes.stop(t)
	n := writes.acknowledged
	primary, reader := b.Outputs()["primary"].([]any)[0], b.Outputs()["replicas"].([]any)[0]
	b.hasRows(t, n, reader)
	_, err := b.superuser(t, primary).Query(t.Context(), "SELECT 1")
	require.Error(t, err, "nobody there takes writes")
	assert.Equal(t, "t", b.ask(t, "SELECT pg_is_in_recovery()", b.subnet+".11:5432"))

	// A replica that hands over to another, as before its machine changes, goes on to follow.
	b.change(func(o *databaseOptions) { o.image = "debian-14.qcow2" })
	b.Up()
	b.hasRows(t, n, reader)
	assert.True(t, b.Up().Unchanged())

	p.link.Close()
	sourceWrites := a.Outputs()["primary"].([]any)[0]
	a.ask(t, fmt.Sprintf("INSERT INTO written VALUES (%d)", n), sourceWrites)
	assert.True(t, b.Up().Unchanged(), "a source that is away is no reason to change anything")
	b.change(func(o *databaseOptions) { o.image = "debian-13.qcow2" })
	b.Up() // updates go on; that it does not stream, Patroni before 3.0.4 does not tell
	b.change(func(o *databaseOptions) { o.haproxy = p.ca })
	preview := b.Preview().Diagnostics
	assert.Contains(t, preview, "promotion: standbyOf is taken out, so that this update makes the cluster one of its own: it follows "+p.link.Endpoint+" no longer")
	assert.Contains(t, preview, "Nothing may write to the source any more, neither before nor after this update")
	up := b.Up()
	assert.Equal(t, "update PostgresHealth plan", databaseOrder(up)[0], "it comes before all that changes machines")
	assert.Contains(t, up.Diagnostics, "accepts writes")
	for _, step := range databaseOrder(up) {
		assert.NotContains(t, step, "replace")
	}
	assert.True(t, b.Up().Unchanged())
	b.hasRows(t, n, primary)
	b.ask(t, "INSERT INTO written VALUES (-1)", primary)
	assert.Equal(t, "1", b.ask(t, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", primary), "commits are on two nodes, as the program says")

	p.link.Open()
	time.Sleep(10 * time.Second) // a standby tries again every 5
	assert.Equal(t, "0", b.ask(t, "SELECT count(*) FROM pg_stat_wal_receiver", primary))
	assert.Equal(t, "0", b.ask(t, fmt.Sprintf("SELECT count(*) FROM written WHERE n = %d", n), primary), "the former source is not followed")
	assert.Equal(t, "0", a.ask(t, "SELECT count(*) FROM written WHERE n = -1", sourceWrites))

	const refused = "standbyOf: must not be given to a cluster that was made without it"
	b.change(func(o *databaseOptions) { o.haproxy = p.ca + p.of })
	assert.Contains(t, b.PreviewFails().Diagnostics, refused)
	a.change(func(o *databaseOptions) {
		o.haproxy = fmt.Sprintf("%s      standbyOf: {endpoints: [%q]}\n", p.ca, primary)
	})
	assert.Contains(t, a.PreviewFails().Diagnostics, refused, "it takes writes")

	// The former source is founded anew. Its etcd knows the former cluster, so that it needs another scope.
	program := a.options.program(a.subnet)
	etcdAlone, _, _ := strings.Cut(program, "  main:\n")
	a.Program(etcdAlone)
	a.Up()
	a.Program(strings.Replace(program, "scope: main,", "scope: main-again,", 1))
	a.Up()
	assert.Equal(t, fmt.Sprint(n+1), a.ask(t, "SELECT count(*) FROM written", a.Outputs()["replicas"].([]any)[0]), "it has what the new one has, and what it had alone is gone")
}
