package admin_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// shop has a database with an owner, tables, and a user with a password.
func (w world) shop() {
	w.t.Helper()
	w.pg.SQL("postgres", "CREATE ROLE app LOGIN PASSWORD '"+secretOf("app")+"'", "CREATE ROLE reader LOGIN PASSWORD '"+secretOf("reader")+"'", "CREATE DATABASE shop OWNER app", "REVOKE ALL ON DATABASE shop FROM PUBLIC")
	w.asApp("CREATE TABLE old (id serial, name text)")
}

func secretOf(user string) string { return "password of " + user }

func (w world) asApp(statement string) {
	w.t.Helper()
	out, err := w.pg.As("app", secretOf("app"), "shop", statement)
	require.NoError(w.t, err, out)
}

// may is which of the statements the reader may run.
func (w world) may(statements ...string) (allowed []bool) {
	w.t.Helper()
	for _, statement := range statements {
		out, err := w.pg.As("reader", secretOf("reader"), "shop", statement)
		if err != nil {
			require.Contains(w.t, out, "permission denied", statement)
		}
		allowed = append(allowed, err == nil)
	}
	return allowed
}

func reader(pairs ...any) property.Map {
	return object(append([]any{"database", "shop", "role", "reader"}, pairs...)...)
}

var (
	readOld, readNew     = "SELECT count(*) FROM old", "SELECT count(*) FROM new"
	writeOld, writeNew   = "INSERT INTO old (name) VALUES ('x')", "INSERT INTO new (name) VALUES ('x')"
	lastOfOld, createOne = "SELECT last_value FROM old_id_seq", "CREATE TABLE mine ()"
)

// TestGrantOfTheFuture requires a read-only user to read what is there and what comes, and
// nothing else.
func TestGrantOfTheFuture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.shop()
	assert.Equal(t, []bool{false, false}, w.may(readOld, "SELECT 1"))
	g := w.made("PostgresGrant", "g", reader("access", "read-only"))
	assert.Equal(t, "shop/public/reader", g.id)
	g.hidden(localpostgres.Password)
	w.asApp("CREATE TABLE new (id serial, name text)")
	statements := []string{readOld, readNew, lastOfOld, writeOld, writeNew, createOne}
	assert.Equal(t, []bool{true, true, true, false, false, false}, w.may(statements...))
	kept := g.state
	require.NoError(t, g.refresh())
	assert.Equal(t, kept, g.state, "refresh finds nothing")
	assert.Equal(t, "app", g.state.Get("objectOwners").AsArray().Get(0).AsString())

	write := reader("access", "read-write")
	assert.Equal(t, map[string]p.DiffKind{"access": p.Update}, g.changes(write))
	require.NoError(t, g.update(write))
	w.asApp("CREATE TABLE newer (id serial, name text)")
	assert.Equal(t, []bool{true, true, true, true, true, false}, w.may(statements...))
	assert.Equal(t, []bool{true, true}, w.may("INSERT INTO newer (name) VALUES ('x')", "DELETE FROM newer"))

	require.NoError(t, g.update(reader("tablePrivileges", []string{"SELECT"}, "schemaPrivileges", []string{"USAGE", "CREATE"}, "databasePrivileges", []string{"CONNECT"})))
	w.asApp("CREATE TABLE newest (id serial)")
	assert.Equal(t, []bool{true, true, false, false, false, true}, w.may(statements...))
	assert.Equal(t, []bool{true, false}, w.may("SELECT * FROM newest", "SELECT last_value FROM newest_id_seq"))

	require.NoError(t, g.delete())
	w.asApp("CREATE TABLE last ()")
	assert.Equal(t, []bool{false}, w.may("SELECT 1"))
	w.pg.SQL("shop", "GRANT CONNECT ON DATABASE shop TO reader", "GRANT USAGE ON SCHEMA public TO reader")
	assert.Equal(t, []bool{false, false}, w.may(readOld, "SELECT * FROM last"))
	w.pg.SQL("shop", "REVOKE CONNECT ON DATABASE shop FROM reader", "REVOKE USAGE ON SCHEMA public FROM reader", "DROP TABLE mine", "DROP ROLE reader")
	require.NoError(t, g.delete(), "it is gone already, and its user too")
	w.pg.SQL("postgres", "DROP DATABASE shop")
	require.NoError(t, g.delete(), "and its database")
	require.NoError(t, g.refresh())
	assert.Empty(t, g.id)
}

func TestGrantDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.shop()
	in := reader("access", "read-only")
	for why, statement := range map[string]string{
		"of a table":     "REVOKE SELECT ON old FROM reader",
		"of a sequence":  "REVOKE SELECT ON old_id_seq FROM reader",
		"of the future":  "ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA public REVOKE SELECT ON TABLES FROM reader",
		"of the schema":  "REVOKE USAGE ON SCHEMA public FROM reader",
		"of a stranger":  "CREATE TABLE IF NOT EXISTS of_another ()",
		"to the cluster": "REVOKE CONNECT ON DATABASE shop FROM reader",
	} {
		w.Server = newServer(t)
		g := w.made("PostgresGrant", "g", in)
		w.pg.SQL("shop", statement)
		require.NoError(t, g.refresh(), why)
		assert.Equal(t, p.Add, g.changes(in)["access"], why)
		require.NoError(t, g.update(in), why)
		require.NoError(t, g.refresh(), why)
		assert.Empty(t, g.changes(in), why)
		w.pg.SQL("shop", "DROP TABLE IF EXISTS of_another")
	}
	w.asApp("CREATE TABLE new (id serial, name text)")
	assert.Equal(t, []bool{true, true, true, false}, w.may(readOld, readNew, lastOfOld, writeOld))
}

// TestGrantOwners has the objects of one who is not the database's owner.
func TestGrantOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.shop()
	w.pg.SQL("shop", "CREATE ROLE maker", "CREATE SCHEMA s AUTHORIZATION maker")
	g := w.made("PostgresGrant", "g", reader("schema", "s", "access", "read-only", "objectOwners", []string{"maker"}))
	w.pg.SQL("shop", "SET ROLE maker", "CREATE TABLE s.one ()")
	assert.Equal(t, []bool{true, false}, w.may("SELECT FROM s.one", readOld))
	require.NoError(t, g.update(reader("schema", "s", "access", "read-only", "objectOwners", []string{"app"})))
	w.pg.SQL("shop", "SET ROLE maker", "CREATE TABLE s.two ()")
	assert.Equal(t, []bool{true, false}, w.may("SELECT FROM s.one", "SELECT FROM s.two"))
}

// TestGrantTwice requires two resources that would undo each other's work to be refused.
func TestGrantTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.shop()
	w.made("PostgresGrant", "one", reader("access", "read-only"))
	require.EqualError(t, w.of("PostgresGrant", "two").create(reader("access", "read-write")),
		"the resource one of the program has what reader may do with schema public of database shop already: a user has one PostgresGrant for each schema")
	w.made("PostgresGrant", "three", object("database", "shop", "role", "app", "access", "read-write"))
}

// TestGrantsAtOnce has many change one database side by side, as the engine does.
func TestGrantsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.shop()
	const many = 8
	errs := make(chan error, many)
	for i := range many {
		name := string(rune('a' + i))
		w.pg.SQL("postgres", "CREATE ROLE "+name)
		o := w.of("PostgresGrant", name)
		in := o.checked(object("database", "shop", "role", name, "access", "read-write"))
		go func() {
			_, err := w.Create(p.CreateRequest{Urn: o.urn(), Properties: in})
			errs <- err
		}()
	}
	for range many {
		require.NoError(t, <-errs)
	}
	require.ErrorContains(t, w.of("PostgresGrant", "z").create(object("database", "shop", "role", "nobody", "access", "read-only")), `role "nobody" does not exist`)
	require.ErrorContains(t, w.of("PostgresGrant", "z").create(object("database", "nothing", "role", "app", "access", "read-only")), `database "nothing" does not exist`)
}
