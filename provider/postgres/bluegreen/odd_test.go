package bluegreen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/bluegreen"
)

// TestOddThings carries what is seldom and lawful, and nothing that somebody without rights has put in its way.
func TestOddThings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.SQL("postgres", "CREATE ROLE mallory LOGIN", "CREATE ROLE lists", `ALTER ROLE lists SET search_path = "$user", "A, b", public`,
		"SET ROLE mallory; SELECT set_config('search_path', 'a;ALTER/**/ROLE/**/mallory/**/SUPERUSER;--', false); ALTER ROLE mallory SET search_path FROM CURRENT")
	w.source.SQL("postgres",
		"CREATE TABLE states (id int PRIMARY KEY, status varchar CHECK (status IN ('a', 'b')))", "CREATE INDEX few ON states (id) WHERE status IN ('a')",
		"CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id)", "CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (2) TO (3)", "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (1) TO (2)",
		"CREATE TABLE refers (id int PRIMARY KEY, part int REFERENCES parts)", "INSERT INTO parts VALUES (1), (2)", "INSERT INTO refers VALUES (1, 2)",
		"CREATE TABLE swapped (id int PRIMARY KEY, what text)", "INSERT INTO swapped SELECT n, 'old' FROM generate_series(1, 6) n",
		"CREATE SEQUENCE fresh", "CREATE SEQUENCE fixed", "SELECT setval('fixed', 5000, false)", "CREATE SEQUENCE used", "SELECT nextval('used') FROM generate_series(1, 7)")
	w.filled()
	assert.Equal(t, "f", w.target.SQL("postgres", "SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"))
	const lists = "SELECT setconfig FROM pg_db_role_setting WHERE setrole = 'lists'::regrole"
	assert.Equal(t, w.source.SQL("postgres", lists), w.target.SQL("postgres", lists))

	w.source.SQL("postgres", "CREATE TABLE other (id int PRIMARY KEY, what text)", "INSERT INTO other SELECT n, 'new' FROM generate_series(1, 12) n",
		"ALTER TABLE swapped RENAME TO gone", "ALTER TABLE other RENAME TO swapped", "DROP TABLE gone", "ALTER INDEX other_pkey RENAME TO swapped_pkey")
	w.filled()
	assert.Equal(t, "12 new", w.target.SQL("postgres", "SELECT count(*) || ' ' || min(what) FROM swapped"))
	assert.Contains(t, w.said[len(w.said)-1], "tables were made anew at the source: public.swapped")

	w.source.SQL("postgres", "ALTER SEQUENCE used MAXVALUE 1000")
	assert.Contains(t, w.refuses(), "sequence public.used: is another one at the source")
	w.target.SQL("postgres", "SET default_transaction_read_only = off; ALTER SEQUENCE used MAXVALUE 1000")
	w.cutOver()
	assert.Equal(t, "1 5000 8", w.target.SQL("postgres", "SELECT nextval('fresh') || ' ' || nextval('fixed') || ' ' || nextval('used')"))
	assert.Equal(t, "1", w.target.SQL("postgres", "SELECT count(*) FROM refers"))
}

// TestSchemaOfOthers has the owner of a database make what the copy would take for its own.
func TestSchemaOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.SQL("postgres", "CREATE ROLE owner LOGIN", "CREATE DATABASE app OWNER owner")
	w.source.SQL("app", "CREATE TABLE nokey (n int)")
	assert.Contains(t, w.refuses(), "public.nokey", "nothing is made")
	w.source.SQL("app", "DROP TABLE nokey")
	w.target.SQL("postgres", "CREATE ROLE owner LOGIN")
	w.filled()
	w.target.SQL("app", "SET default_transaction_read_only = off; ALTER TABLE quorum_upgrade.copied OWNER TO owner")
	assert.Contains(t, w.refuses(), "database app: somebody has made a schema quorum_upgrade in it, or changed what is there")
}

// TestFenceThatIsGone has the source take writes again before anything is cut over, as after a failover there: that is said, and that
// who led before may refuse writes still.
func TestFenceThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.SQL("postgres", "CREATE TABLE early (n int PRIMARY KEY)", "CREATE SEQUENCE slow")
	w.filled()
	w.pair.Source.Endpoints = append([]string{"127.0.0.1:1"}, w.pair.Source.Endpoints...)
	c := bluegreen.CutOver{Feed: w.feed()}
	ended := make(chan error, 1)
	blocks, err := w.pair.Target.Session(t.Context(), "postgres")
	require.NoError(t, err)
	_, err = blocks.Exec(t.Context(), "BEGIN; ALTER SEQUENCE public.slow INCREMENT 1")
	require.NoError(t, err)
	go func() { ended <- c.Run(t.Context()) }()
	require.Eventually(t, func() bool { return w.source.SQL("postgres", "SHOW default_transaction_read_only") == "on" }, 30*time.Second, 50*time.Millisecond)
	time.Sleep(time.Second)
	w.source.SQL("postgres", "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
	_, err = blocks.Exec(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.ErrorContains(t, <-ended, "the source has failed over meanwhile, or takes writes again. The source takes writes again")
	assert.True(t, c.Remains)
	assert.Empty(t, c.Fenced())
}

// TestSettingsOfOwners has the owner of a database set what would have sessions with it be another role, or end.
func TestSettingsOfOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.SQL("postgres", "CREATE ROLE owner LOGIN", "CREATE DATABASE app OWNER owner", "CREATE DATABASE half", "UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'half'")
	w.source.SQL("app", "CREATE TABLE a (n int PRIMARY KEY)", "ALTER DATABASE app SET role = owner", "ALTER DATABASE app SET statement_timeout = 1")
	said := w.refuses()
	assert.Contains(t, said, "database app: the setting role = owner, which counts for the copy too: ALTER ROLE postgres IN DATABASE app SET role = none")
	assert.Contains(t, said, "database app: the setting statement_timeout = 1, which counts for the copy too: ALTER ROLE postgres IN DATABASE app SET statement_timeout = 0")
	assert.Contains(t, said, "database half is what a DROP DATABASE that was cut short has left")
	w.source.SQL("postgres", "DROP DATABASE half", "ALTER ROLE postgres IN DATABASE app SET role = none", "ALTER ROLE postgres IN DATABASE app SET statement_timeout = 0")
	w.filled()
	w.target.SQL("postgres", "SET default_transaction_read_only = off; ALTER DATABASE app SET role = owner")
	w.filled()
}

// TestLastMoment has a table come while the source is asked to refuse writes: nothing is cut over, and the source takes writes.
// Made here, it is copied. Then the source is gone: what the copy has left goes without it.
func TestLastMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.SQL("postgres", "CREATE TABLE early (n int PRIMARY KEY)")
	w.filled()
	f := w.feed()
	f.Say = func(string) {
		w.source.SQL("postgres", "CREATE TABLE late (n int PRIMARY KEY)", "INSERT INTO late VALUES (1)")
	} // it is about to ask
	c := bluegreen.CutOver{Feed: f}
	err := c.Run(t.Context())
	require.ErrorContains(t, err, "this came while the source was asked to refuse writes, and was not copied: the table public.late")
	require.ErrorContains(t, err, "The source takes writes again")
	assert.Empty(t, c.Fenced())
	assert.False(t, c.Remains)
	require.Eventually(t, func() bool { return w.source.SQL("postgres", "SHOW default_transaction_read_only") == "off" }, 10*time.Second, 50*time.Millisecond)
	w.source.SQL("postgres", "INSERT INTO late VALUES (2)")

	assert.Contains(t, w.refuses(), "table public.late: only at the source")
	w.target.SQL("postgres", "SET default_transaction_read_only = off; CREATE TABLE late (n int PRIMARY KEY)") // as it says
	w.filled()
	c = bluegreen.CutOver{Feed: w.feed()}
	require.NoError(t, c.Run(t.Context()))
	assert.Equal(t, "2", w.target.SQL("postgres", "SELECT count(*) FROM late"))
	w.source.Stop()
	left, err := w.pair.Clear(t.Context())
	require.NoError(t, err)
	require.ErrorContains(t, left, "connection refused")
	assert.Equal(t, "0", w.target.SQL("postgres", "SELECT count(*) FROM pg_subscription"))
	begun, open, err := w.pair.Begun(t.Context())
	require.NoError(t, err)
	assert.False(t, begun || open, "nothing is left to do")
}
