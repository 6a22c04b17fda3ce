package bluegreen_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/bluegreen"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// world is a source and a target, of the oldest and the newest version of PostgreSQL here.
type world struct {
	t              *testing.T
	source, target *localpostgres.Server
	pair           bluegreen.Pair

	mutex sync.Mutex
	said  []string
}

func TestMain(m *testing.M) {
	bluegreen.Oldest = 15 // of PostgreSQL here
	m.Run()
}

func clear(t *testing.T, pair bluegreen.Pair) {
	t.Helper()
	left, err := pair.Clear(t.Context())
	require.NoError(t, err)
	require.NoError(t, left)
}

func newWorld(t *testing.T, settings ...string) *world {
	t.Helper()
	w := &world{t: t, source: localpostgres.Start(t, append([]string{"wal_level=logical"}, settings...)...), target: localpostgres.Newest(t)}
	of := func(s *localpostgres.Server) admin.Connection {
		password := localpostgres.Password
		return admin.Connection{Endpoints: []string{s.Endpoint()}, CACert: s.CACert(), Password: &password}
	}
	w.pair = bluegreen.Pair{Source: of(w.source), Target: of(w.target), CAFile: w.source.Dir + "/server.crt", CertFile: w.source.Dir + "/none.crt", KeyFile: w.source.Dir + "/none.key"}
	return w
}

func (w *world) say(line string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.said = append(w.said, line)
}

func (w *world) feed() bluegreen.Feed {
	return bluegreen.Feed{Pair: w.pair, Say: w.say, Show: func(string) {}}
}

// filled steps until the target has all, as a new update does.
func (w *world) filled() {
	w.t.Helper()
	f := w.feed()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		missing, err := f.Step(w.t.Context())
		require.NoError(w.t, err)
		if missing == "" {
			return
		}
		require.True(w.t, time.Now().Before(end), missing)
	}
}

// refuses is why the target cannot be filled.
func (w *world) refuses() string {
	w.t.Helper()
	f := w.feed()
	missing, err := f.Step(w.t.Context())
	require.Error(w.t, err, missing)
	return err.Error()
}

// lags are what a cutover would have to wait for.
func (w *world) lags() string {
	w.t.Helper()
	lines, err := w.pair.Lags(w.t.Context())
	require.NoError(w.t, err)
	return strings.Join(lines, "\n")
}

// cutOver has the target take the source's place, up to the end.
func (w *world) cutOver() {
	w.t.Helper()
	c := bluegreen.CutOver{Feed: w.feed()}
	require.NoError(w.t, c.Run(w.t.Context()))
	clear(w.t, w.pair)
}

const appPassword = "correct horse 'battery' \\staple"

// populate makes what a source may have: names and passwords that need quotes, rows of all sorts.
func (w *world) populate() {
	w.t.Helper()
	w.source.SQL("postgres",
		"CREATE ROLE app LOGIN PASSWORD "+admin.Literal(appPassword)+" CONNECTION LIMIT 50", "CREATE ROLE \"Group's\" NOLOGIN CREATEDB", "GRANT \"Group's\" TO app WITH ADMIN OPTION", "GRANT pg_monitor TO app",
		"ALTER ROLE app SET search_path = \"$user\", public, \"More\"", "ALTER ROLE app SET statement_timeout = '7min'",
		"CREATE DATABASE \"App's\" OWNER app LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8' TEMPLATE template0", "CREATE DATABASE empty",
		"ALTER DATABASE \"App's\" SET work_mem = '5MB'", "ALTER ROLE app IN DATABASE \"App's\" SET lock_timeout = '9s'", "REVOKE CONNECT ON DATABASE empty FROM PUBLIC", "GRANT CREATE ON DATABASE empty TO app",
		"CREATE ROLE rewind_user LOGIN", "GRANT EXECUTE ON FUNCTION pg_ls_dir(text, boolean, boolean) TO rewind_user", "CREATE ROLE quorum_lookup", "GRANT SELECT ON pg_authid TO quorum_lookup", "CREATE SCHEMA quorum_pooler AUTHORIZATION quorum_lookup",
		"CREATE TABLE here (n serial PRIMARY KEY)", "INSERT INTO here SELECT FROM generate_series(1, 7)")
	w.source.SQL("App's",
		"SET ROLE app", "CREATE SCHEMA \"More\"", "CREATE TABLE numbers (n bigint PRIMARY KEY, d text)", "CREATE TABLE \"More\".\"It's\" (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n bigint REFERENCES numbers, twice bigint GENERATED ALWAYS AS (n * 2) STORED)",
		"INSERT INTO numbers SELECT i, repeat(md5(i::text), 8) FROM generate_series(1, 20000) i", "INSERT INTO \"More\".\"It's\" (n) SELECT n FROM numbers WHERE n <= 100",
		"CREATE TABLE parts (n int PRIMARY KEY) PARTITION BY RANGE (n)", "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10)", "INSERT INTO parts VALUES (3)",
		"CREATE SEQUENCE plain START 5", "CREATE SEQUENCE used", "SELECT nextval('used') FROM generate_series(1, 41)",
		"CREATE MATERIALIZED VIEW sums AS SELECT count(*) AS c FROM numbers", "CREATE VIEW firsts AS SELECT n FROM numbers WHERE n < 10", "CREATE MATERIALIZED VIEW of_sums AS SELECT c + 1 AS c FROM sums",
		"CREATE TYPE mood AS ENUM ('glad', 'sad')", "CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE UNLOGGED TABLE passing (n int)",
		"CREATE FUNCTION tells() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''it tells''; END'", "CREATE TABLE told (n int PRIMARY KEY)", "INSERT INTO told VALUES (1)", "CREATE TRIGGER tells BEFORE INSERT ON told FOR EACH ROW EXECUTE FUNCTION tells()",
		"GRANT SELECT ON numbers TO \"Group's\"")
}
