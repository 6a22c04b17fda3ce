package admin_test

import (
	"strconv"
	"testing"
	"time"

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
	assert.Equal(t, admin.Primary{At: w.pg.Endpoint(), Timeline: 1}, now)

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
	copied.Promote()
	of := admin.Connection{Endpoints: []string{copied.Endpoint()}, CACert: copied.CACert(), Password: &password}
	now, err = of.Primary(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, admin.Primary{At: copied.Endpoint(), Refuses: true, Timeline: 2}, now)
	was, err := of.Unfence(t.Context())
	require.NoError(t, err)
	assert.True(t, was)
	assert.Eventually(t, func() bool { now, err := of.Primary(t.Context(), id); return err == nil && !now.Refuses }, 10*time.Second, 100*time.Millisecond)

	c.Endpoints = c.Endpoints[:1]
	_, err = c.Fence(t.Context(), id)
	require.ErrorContains(t, err, "127.0.0.1:1: connection refused")
	assert.True(t, admin.IsAway(err))
	wrong := "wrong"
	c.Endpoints, c.Password = append(c.Endpoints, w.pg.Endpoint()), &wrong
	_, err = c.Fence(t.Context(), id)
	require.ErrorContains(t, err, "password authentication failed")
	assert.False(t, admin.IsAway(err), "it has answered")
}
