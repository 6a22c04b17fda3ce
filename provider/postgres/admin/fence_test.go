package admin_test

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// TestFence has a server refuse writes, of sessions that are open too, and say up to where it has written; and once more.
func TestFence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	password := localpostgres.Password
	c := admin.Connection{Endpoints: []string{"127.0.0.1:1", w.pg.Endpoint()}, CACert: w.pg.CACert(), Password: &password}
	w.pg.SQL("postgres", "CREATE ROLE app LOGIN PASSWORD '"+another+"'", "CREATE TABLE numbers (n int)", "GRANT ALL ON numbers TO app")
	session := w.session("app", another)
	_, err := session.Exec(t.Context(), "BEGIN; INSERT INTO numbers VALUES (1)")
	require.NoError(t, err)
	now, err := c.Primary(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, admin.Primary{At: w.pg.Endpoint(), Timeline: 1, Position: now.Position, Around: []string{}}, now)
	mark, err := c.Mark(t.Context(), "")
	require.NoError(t, err)
	assert.Greater(t, mark, now.Position, "also when nobody writes")

	_, err = c.Fence(t.Context(), "1")
	require.ErrorContains(t, err, "it is another cluster: its system id is ")
	assert.False(t, admin.IsAway(err))
	_, err = w.pg.As("app", another, "postgres", "INSERT INTO numbers SELECT 2 WHERE false")
	require.NoError(t, err, "that is left alone")

	id := w.pg.SQL("postgres", "SELECT system_identifier FROM pg_control_system()")
	fenced, err := c.Fence(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, admin.Fenced{At: w.pg.Endpoint(), Asked: true, UpTo: fenced.UpTo, Timeline: 1}, fenced)
	_, err = c.Fence(t.Context(), "")
	require.ErrorContains(t, err, "it is another cluster", "one without an id is none that is known")
	_, err = session.Exec(t.Context(), "COMMIT")
	require.Error(t, err, "what was not committed is ended")
	_, err = w.pg.As("app", another, "postgres", "INSERT INTO numbers VALUES (2)")
	require.Error(t, err)
	_, err = w.pg.As("app", another, "postgres", "BEGIN READ WRITE; INSERT INTO numbers VALUES (3); COMMIT")
	require.NoError(t, err, "who asks for it may write")
	before := w.pg.SQL("postgres", "SELECT '0/0'::pg_lsn + "+strconv.FormatInt(fenced.UpTo, 10)+" <= pg_current_wal_flush_lsn()")
	assert.Equal(t, "t", before)
	again, err := c.Fence(t.Context(), id)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, again.UpTo, fenced.UpTo)
	count, err := w.pg.As("app", another, "postgres", "SELECT count(*) FROM numbers")
	require.NoError(t, err)
	assert.Equal(t, "1", count)

	// One that was copied from it, and leads: its timeline is known at once, and it refuses writes too, until told otherwise.
	copied := w.pg.Standby()
	of := admin.Connection{Endpoints: []string{copied.Endpoint()}, CACert: copied.CACert(), Password: &password}
	_, err = of.Primary(t.Context(), id)
	require.ErrorContains(t, err, "it is a standby")
	assert.True(t, admin.IsSilent(err), "none of them leads")
	copied.Promote()
	now, err = of.Primary(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, admin.Primary{At: copied.Endpoint(), Refuses: true, Timeline: 2, Position: now.Position, Around: []string{}}, now)
	was, err := of.Unfence(t.Context())
	require.NoError(t, err)
	assert.True(t, was)
	now, err = of.Primary(t.Context(), id)
	require.NoError(t, err)
	assert.False(t, now.Refuses)

	c.Endpoints = c.Endpoints[:1]
	_, err = c.Fence(t.Context(), id)
	require.ErrorContains(t, err, "127.0.0.1:1: connection refused")
	assert.True(t, admin.IsAway(err))
	assert.True(t, admin.IsSilent(err))
	wrong := "wrong"
	c.Endpoints, c.Password = append(c.Endpoints, w.pg.Endpoint()), &wrong
	_, err = c.Fence(t.Context(), id)
	require.ErrorContains(t, err, "password authentication failed")
	assert.False(t, admin.IsAway(err), "it has answered")
	assert.False(t, admin.IsSilent(err))
}

// TestFenceThatIsGotAround leaves a server alone that would take some writes nevertheless, and says what to run there first.
func TestFenceThatIsGotAround(t *testing.T) {
	t.Parallel()
	pg, password := localpostgres.Start(t, "max_prepared_transactions=2", "wal_level=logical"), localpostgres.Password
	c := admin.Connection{Endpoints: []string{pg.Endpoint()}, CACert: pg.CACert(), Password: &password}
	id := pg.SQL("postgres", "SELECT system_identifier FROM pg_control_system()")
	for _, statement := range []string{
		"CREATE ROLE app", "CREATE DATABASE own", "CREATE TABLE numbers (n int)", "ALTER ROLE app SET default_transaction_read_only = off", "ALTER ROLE app SET work_mem = '8MB'",
		"ALTER DATABASE own SET default_transaction_read_only = 'no'", "ALTER ROLE app IN DATABASE own SET default_transaction_read_only = 0", "ALTER ROLE ALL SET default_transaction_read_only = off",
		"ALTER DATABASE template1 SET default_transaction_read_only = on", "CREATE SUBSCRIPTION gets CONNECTION 'host=/none' PUBLICATION nothing WITH (connect = false)", "ALTER SUBSCRIPTION gets ENABLE",
	} {
		pg.SQL("postgres", statement)
	}
	pg.SQL("postgres", "BEGIN; INSERT INTO numbers VALUES (1); PREPARE TRANSACTION 'one'")
	now, err := c.Primary(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"ALTER DATABASE own RESET default_transaction_read_only", "ALTER ROLE ALL RESET default_transaction_read_only", "ALTER ROLE app IN DATABASE own RESET default_transaction_read_only",
		"ALTER ROLE app RESET default_transaction_read_only", "ALTER SUBSCRIPTION gets DISABLE, in database postgres", "COMMIT PREPARED 'one', or ROLLBACK, in database postgres",
	}, now.Around)
	fenced, err := c.Fence(t.Context(), id)
	require.ErrorContains(t, err, "some writes would get around its refusal; run there first: ALTER DATABASE own RESET default_transaction_read_only; ")
	assert.False(t, fenced.Asked)
	assert.Equal(t, "off", pg.SQL("postgres", "SHOW default_transaction_read_only"))
	for _, statement := range now.Around {
		statement, _, _ = strings.Cut(statement, ", ")
		pg.SQL("postgres", statement)
	}
	_, err = c.Fence(t.Context(), id)
	require.NoError(t, err)
}

// TestFenceOfOneAmongMany finds the server that leads beyond more addresses that swallow all than there is time for in turn, and
// hears nothing of a cluster that says nothing.
func TestFenceOfOneAmongMany(t *testing.T) {
	t.Parallel()
	pg, password := localpostgres.Start(t), localpostgres.Password
	c := admin.Connection{CACert: pg.CACert(), Password: &password}
	for range 6 {
		listener, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		c.Endpoints = append(c.Endpoints, listener.Addr().String())
	}
	_, err := c.Primary(t.Context(), "")
	assert.True(t, admin.IsSilent(err), err)
	c.Endpoints = append(c.Endpoints, pg.Endpoint())
	now, err := c.Primary(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, pg.Endpoint(), now.At)

	c.Endpoints = []string{"localhost.invalid:5432"}
	_, err = c.Primary(t.Context(), "")
	assert.True(t, admin.IsAway(err))
	assert.False(t, admin.IsSilent(err), "that its name does not resolve tells nothing of it")
	c.Endpoints, c.CACert = []string{pg.Endpoint()}, localpostgres.Start(t).CACert()
	_, err = c.Primary(t.Context(), "")
	assert.False(t, admin.IsSilent(err), err)
}
