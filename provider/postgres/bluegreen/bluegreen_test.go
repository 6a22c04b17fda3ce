package bluegreen_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/bluegreen"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// TestBlueGreen fills a target while the source takes writes, and has it take the source's place under them.
func TestBlueGreen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.populate()
	w.filled()
	assert.Contains(t, strings.Join(w.said, "\n"), "database App's: the unlogged table public.passing comes empty")
	for _, log := range []string{w.source.Log(), w.target.Log()} {
		assert.NotContains(t, log, "SCRAM-SHA-256$", "hashes of passwords are in no log")
		assert.NotContains(t, log[strings.Index(log, localpostgres.Password)+len(localpostgres.Password):], localpostgres.Password)
	}
	_, err := w.target.As("app", appPassword, "App's", "INSERT INTO numbers VALUES (0)")
	require.Error(t, err)
	said, _ := w.target.As("app", appPassword, "App's", "INSERT INTO numbers VALUES (0)")
	assert.Contains(t, said, "read-only transaction")

	stop, wrote := make(chan struct{}), make(chan int)
	go func() {
		n := 20000
		for {
			select {
			case <-stop:
				wrote <- n
				return
			default:
			}
			if _, err := w.source.As("app", appPassword, "App's", fmt.Sprintf("INSERT INTO numbers VALUES (%d); SELECT nextval('used')", n+1)); err == nil {
				n++
			}
		}
	}()
	w.source.SQL("App's", "UPDATE numbers SET d = 'changed' WHERE n = 1", "INSERT INTO \"More\".\"It's\" (n) VALUES (1)", "DELETE FROM told")
	w.source.SQL("postgres", "ALTER ROLE app PASSWORD "+admin.Literal(appPassword), "REVOKE \"Group's\" FROM app", "ALTER DATABASE \"App's\" RESET work_mem")
	w.filled()
	w.cutOver()
	close(stop)
	last := <-wrote

	for _, query := range []string{
		"SELECT count(*), md5(string_agg(n || d, ',' ORDER BY n)) FROM numbers", "SELECT count(*), sum(twice) FROM \"More\".\"It's\"", "SELECT * FROM parts", "SELECT * FROM firsts", "SELECT one()",
		"SELECT last_value, is_called FROM used", "SELECT last_value, is_called FROM plain", "SELECT last_value FROM \"More\".\"It's_id_seq\"", "SELECT count(*) FROM told",
	} {
		assert.Equal(t, w.source.SQL("App's", query), w.target.SQL("App's", query), query)
	}
	assert.Equal(t, fmt.Sprint(last), w.target.SQL("App's", "SELECT count(*) FROM numbers"), "all that was acknowledged is here")
	assert.Equal(t, "20001", w.target.SQL("App's", "SELECT c FROM of_sums"))
	assert.NotEqual(t, "0", w.target.SQL("App's", "SELECT count(*) FROM pg_stats WHERE tablename = 'numbers'"))
	assert.Equal(t, "8", w.target.SQL("postgres", "INSERT INTO here DEFAULT VALUES RETURNING n"))
	for _, query := range []string{
		"SELECT rolname, rolpassword, rolconnlimit, rolcreatedb FROM pg_authid WHERE rolname !~ '^pg_' AND rolname <> 'postgres' ORDER BY 1",
		"SELECT roleid::regrole, member::regrole FROM pg_auth_members WHERE member::regrole::text = 'app' ORDER BY 1",
		"SELECT setrole::regrole, datname, unnest(setconfig) FROM pg_db_role_setting LEFT JOIN pg_database d ON d.oid = setdatabase ORDER BY 1, 2, 3",
		"SELECT has_table_privilege('quorum_lookup', 'pg_authid', 'SELECT'), has_function_privilege('rewind_user', 'pg_ls_dir(text, boolean, boolean)', 'EXECUTE')",
		"SELECT datname, datcollate, datctype, datdba::regrole, datacl FROM pg_database ORDER BY 1",
	} {
		assert.Equal(t, w.source.SQL("postgres", query), w.target.SQL("postgres", query), query)
	}
	_, err = w.target.As("app", appPassword, "App's", "INSERT INTO numbers VALUES (0)")
	require.NoError(t, err, "it takes writes")
	_, err = w.source.As("app", appPassword, "App's", "INSERT INTO numbers VALUES (0)")
	require.Error(t, err, "the source takes none")
	for _, s := range []*localpostgres.Server{w.source, w.target} {
		assert.Equal(t, "0|0|0|0|", s.SQL("App's", "SELECT (SELECT count(*) FROM pg_replication_slots), (SELECT count(*) FROM pg_publication), (SELECT count(*) FROM pg_subscription), (SELECT count(*) FROM pg_replication_origin), to_regnamespace('quorum_upgrade')"))
		assert.Empty(t, s.SQL("postgres", "SELECT to_regnamespace('quorum_upgrade')"))
	}
	begun, _, err := w.pair.Begun(t.Context())
	require.NoError(t, err)
	assert.False(t, begun)
	t.Log(strings.Join(w.said, "\n"))
}

// TestRefused has a source that cannot be copied be refused by name, all at once, with nothing created anywhere; and a
// target that is none.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "wal_level=replica", "max_replication_slots=2", "max_prepared_transactions=2")
	w.source.SQL("postgres", "CREATE DATABASE app", "BEGIN; CREATE TABLE prepared (n int); PREPARE TRANSACTION 'left'")
	w.source.SQL("app", "CREATE TABLE nokey (n int)", "CREATE TABLE full_one (n int)", "ALTER TABLE full_one REPLICA IDENTITY FULL", "SELECT lo_create(0)", "SELECT lo_create(0)",
		"CREATE TABLE audited (n int PRIMARY KEY)", "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'", "CREATE TRIGGER always AFTER INSERT ON audited FOR EACH ROW EXECUTE FUNCTION f()", "ALTER TABLE audited ENABLE ALWAYS TRIGGER always",
		"CREATE PUBLICATION others FOR TABLE audited",
		"CREATE TABLE secret (n int PRIMARY KEY)", "ALTER TABLE secret ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
		"CREATE TABLE full_of_json (n int, j json)", "ALTER TABLE full_of_json REPLICA IDENTITY FULL",
		"CREATE UNLOGGED TABLE passing (n int REFERENCES audited)")
	w.target.SQL("postgres", "CREATE DATABASE mine", "CREATE TABLE also (n int)")
	said := w.refuses()
	for _, line := range []string{
		"wal_level is replica: give the source postgres.params: {wal_level: logical}",
		"max_replication_slots is 2, of which 0 are in use, and 3 are needed",
		"the prepared transaction left in postgres: commit it",
		"database app: tables without a primary key, whose changed rows nobody could tell: public.nokey:",
		"database app: 2 large objects, which logical replication does not carry",
		"database app: the trigger public.audited: always is enabled for replication too",
		"database app: the table public.secret has FORCE ROW LEVEL SECURITY",
		"database app: tables with REPLICA IDENTITY FULL and columns of types that cannot be compared, as json: public.full_of_json: give each a primary key",
		"database app: the foreign key public.passing: passing_n_fkey of an unlogged table would stop the copy",
		"this cluster must be a new one, and has a database mine of its own",
		"this cluster must be a new one, and has tables of its own in database postgres: public.also",
	} {
		assert.Contains(t, said, line)
	}
	found, err := w.pair.Check(t.Context())
	require.NoError(t, err)
	assert.Contains(t, found.Notes, "database app: the publication others does not come along: create it at the new cluster after the cutover")
	assert.Equal(t, "postgres|mine", w.target.SQL("postgres", "SELECT string_agg(datname, '|' ORDER BY oid) FROM pg_database WHERE NOT datistemplate"))
	assert.Equal(t, "off", w.target.SQL("postgres", "SHOW default_transaction_read_only"))
}

// TestGoesOn has a target go on after what may happen meanwhile: a slot that the source has lost, other endpoints, DDL at the source,
// tables that come; a cutover that fails, and is made again.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.SQL("postgres", "CREATE DATABASE app")
	w.source.SQL("app", "CREATE TABLE a (n int PRIMARY KEY)", "INSERT INTO a SELECT generate_series(1, 100)")
	w.filled()

	w.target.SQL("app", "ALTER SUBSCRIPTION quorum_upgrade DISABLE")
	for end := time.Now().Add(time.Minute); w.source.SQL("app", "SELECT count(*) FROM pg_replication_slots WHERE active") != "0"; time.Sleep(100 * time.Millisecond) {
		require.True(t, time.Now().Before(end))
	}
	assert.Contains(t, w.lags(), "database app: does not follow the source now")
	w.source.SQL("app", "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots", "INSERT INTO a VALUES (101)", "DELETE FROM a WHERE n = 1")
	w.source.SQL("postgres", "CREATE DATABASE late")
	lags := w.lags()
	assert.Regexp(t, `database app: is copied from the beginning first \(\d+ MiB\): the source has no replication slot quorum_upgrade_`, lags)
	assert.Regexp(t, `database late: is copied from the beginning first \(\d+ MiB\): it came to the source since`, lags)
	w.source.SQL("postgres", "DROP DATABASE late")
	w.filled()
	assert.Empty(t, w.lags())
	assert.Contains(t, strings.Join(w.said, "\n"), "database app is copied from the beginning: the source has no replication slot quorum_upgrade_")
	assert.Equal(t, "100|2|101", w.target.SQL("app", "SELECT count(*), min(n), max(n) FROM a"))

	w.pair.Source.Endpoints = append([]string{"127.0.0.1:1"}, w.pair.Source.Endpoints...)
	w.filled()
	assert.Contains(t, w.target.SQL("app", "SELECT subconninfo FROM pg_subscription"), "host='127.0.0.1,127.0.0.1'")

	w.source.SQL("app", "CREATE TABLE b (n int PRIMARY KEY)", "INSERT INTO b VALUES (1)", "ALTER TABLE a ADD d text")
	assert.Contains(t, w.lags(), "database app: its schema was changed, which has to be the same first: ")
	said := w.refuses()
	assert.Contains(t, said, "database app: its schema was changed since it was copied")
	assert.Contains(t, said, "constraint b_pkey of public.b: only at the source")
	assert.Contains(t, said, "table public.a: is another one at the source")
	w.target.SQL("app", "CREATE TABLE b (n int PRIMARY KEY)", "ALTER TABLE a ADD d text")
	w.filled()
	assert.Equal(t, "1", w.target.SQL("app", "SELECT n FROM b"))

	id := w.source.SQL("postgres", "SELECT system_identifier FROM pg_control_system()")
	w.target.SQL("postgres", "UPDATE quorum_upgrade.state SET source = '1'")
	assert.Contains(t, w.refuses(), "the source is another cluster than before")
	w.target.SQL("postgres", "UPDATE quorum_upgrade.state SET source = '"+id+"'")

	w.source.SQL("postgres", "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()") // as a cutover that was cut off has left it
	c := bluegreen.CutOver{Feed: w.feed()}
	require.NoError(t, c.Run(t.Context()))
	assert.Equal(t, w.source.Endpoint(), c.Fenced())
	begun, open, err := w.pair.Begun(t.Context()) // as an update finds it that was killed then
	require.NoError(t, err)
	assert.True(t, begun && open)
	assert.Contains(t, w.refuses(), "this cluster has taken the place of its source already")
	clear(t, w.pair)
	assert.Equal(t, "off", w.target.SQL("postgres", "SHOW default_transaction_read_only"))
	assert.Equal(t, "101", w.target.SQL("app", "SELECT max(n) FROM a"))
	clear(t, w.pair)
}
