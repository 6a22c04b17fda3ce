package auth

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// shop is a program of a database, its owner, and a user who reads. Its secrets are in plain:
// they must be hidden all the same.
const shop = `
variables:
  connection: {endpoints: ["%s"], caCert: %q, password: %s}
resources:
  app: {type: "quorum:PostgresUser", properties: {connection: "${connection}", password: "%s"}}
  shop: {type: "quorum:PostgresDatabase", properties: {connection: "${connection}", owner: "${app.name}", extensions: [{name: pg_trgm}]}}
  reports: {type: "quorum:PostgresUser", properties: {connection: "${connection}", password: hush-hush-2, connectionLimit: 10}}
  reads: {type: "quorum:PostgresGrant", properties: {connection: "${connection}", database: "${shop.name}", role: "${reports.name}", access: read-only}}
`

type postgresStack struct {
	*stack
	pg       *localpostgres.Server
	proxy    *embedetcd.Proxy
	password string // of app
}

func newPostgresStack(t *testing.T) *postgresStack {
	t.Helper()
	pg := localpostgres.Start(t)
	s := &postgresStack{stack: &stack{t: t}, pg: pg, proxy: embedetcd.NewProxy(t, pg.Endpoint()), password: "hush-hush-1"}
	s.Stack = engine.New(t, engine.Options{Program: s.text(), Plugins: []engine.Plugin{engine.Quorum}})
	return s
}

func (s *postgresStack) text() string {
	return fmt.Sprintf(shop, s.proxy.Endpoint, s.pg.CACert(), localpostgres.Password, s.password)
}

// hushed wants no secret in what a command said, in the state, or in the log of PostgreSQL.
func (s *postgresStack) hushed(r engine.Result) engine.Result {
	s.t.Helper()
	for _, secret := range []string{"hush-hush", localpostgres.Password} {
		for _, text := range []string{r.Stdout, r.Stderr, r.Diagnostics, string(r.Events), s.Export()} {
			require.NotContains(s.t, text, secret)
		}
	}
	require.NotContains(s.t, s.pg.Log(), "hush-hush")
	return r
}

// without takes a resource out of the program, and makes of what refers to it a text.
func (s *postgresStack) without(name string) {
	s.t.Helper()
	var lines []string
	for line := range strings.Lines(s.text()) {
		if !strings.HasPrefix(line, "  "+name+": ") {
			lines = append(lines, line)
		}
	}
	s.Program(strings.ReplaceAll(strings.Join(lines, ""), "${"+name+".name}", name))
}

func (s *postgresStack) users() string {
	return s.pg.SQL("postgres", "SELECT string_agg(rolname, ' ' ORDER BY rolname) FROM pg_roles WHERE rolname !~ '^pg_'")
}

func (s *postgresStack) databases() string {
	return s.pg.SQL("postgres", "SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database WHERE NOT datistemplate")
}

func TestPostgresLife(t *testing.T) {
	t.Parallel()
	s := newPostgresStack(t)
	s.hushed(s.Preview("--diff"))
	assert.Equal(t, "create PostgresDatabase, create PostgresGrant, create PostgresUser, create Stack", s.hushed(s.Up("--diff")).Changed())
	assert.True(t, s.Up("--refresh").Unchanged())
	as := func(user, password, statement string) error {
		_, err := s.pg.As(user, password, "shop", statement)
		return err
	}
	require.NoError(t, as("app", "hush-hush-1", "CREATE TABLE goods (name text)"))
	require.NoError(t, as("reports", "hush-hush-2", "SELECT FROM goods"))
	require.Error(t, as("reports", "hush-hush-2", "INSERT INTO goods VALUES ('x')"))

	s.password = "hush-hush-3"
	s.Program(s.text())
	changed := s.hushed(s.Up("--diff"))
	assert.Equal(t, "update PostgresUser", changed.Changed())
	assert.Contains(t, changed.Stdout, "~ password: [secret] => [secret]")
	require.NoError(t, as("app", "hush-hush-3", "SELECT FROM goods"))

	// Somebody else changes all of it.
	s.pg.SQL("shop", "ALTER ROLE app CREATEDB", "ALTER DATABASE shop OWNER TO postgres", "DROP EXTENSION pg_trgm", "REVOKE SELECT ON goods FROM reports")
	s.hushed(s.Refresh("--diff"))
	drift := s.hushed(s.Preview("--diff"))
	for _, text := range []string{"~ createDatabase", "~ owner", "+ extensions", "+ access"} {
		assert.Contains(t, drift.Stdout, text)
	}
	s.hushed(s.Up())
	assert.True(t, s.Up("--refresh").Unchanged())
	require.NoError(t, as("reports", "hush-hush-2", "SELECT FROM goods"))
}

// TestPostgresKeepsData takes a database out of the program, renames it, and destroys the stack.
func TestPostgresKeepsData(t *testing.T) {
	t.Parallel()
	s := newPostgresStack(t)
	s.Up()
	s.Program(strings.Replace(s.text(), "owner:", "name: other, owner:", 1))
	assert.Contains(t, s.hushed(s.PreviewFails()).Diagnostics, "name: this change deletes database shop, and creates it anew without its data. Take it back, or allow the loss with allowDataLoss: true")
	s.without("shop")
	assert.Contains(t, s.hushed(s.UpFails()).Diagnostics, "database shop was not deleted: its data would be lost")
	assert.Equal(t, "postgres shop", s.databases())
	assert.True(t, s.has("PostgresDatabase"))
	s.Program(strings.Replace(s.text(), "owner:", "allowDataLoss: true, owner:", 1))
	s.Up()
	s.Program(strings.Join(linesWithout(s.text(), "  shop: ", "  reads: "), ""))
	assert.Equal(t, "delete PostgresDatabase, delete PostgresGrant", s.hushed(s.Up()).Changed())
	assert.Equal(t, "postgres", s.databases())

	s.Program(s.text())
	s.Up()
	gone := s.hushed(s.Destroy()).Diagnostics
	assert.Contains(t, gone, "database shop stays in PostgreSQL")
	assert.Contains(t, gone, "user app was not deleted from PostgreSQL, but removed from the state, as when the stack is destroyed")
	assert.Equal(t, "app postgres", s.users(), "who reads is gone, with the rights to it")
	assert.Empty(t, s.Resources())
	assert.Contains(t, s.hushed(s.Up()).Diagnostics, "database shop already existed in PostgreSQL with these values")
}

func linesWithout(text string, beginnings ...string) (lines []string) {
next:
	for line := range strings.Lines(text) {
		for _, beginning := range beginnings {
			if strings.HasPrefix(line, beginning) {
				continue next
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// TestPostgresKilledWhileMade kills updates when PostgreSQL has done what they ask, and before
// they learn it: the next ones go on from there.
func TestPostgresKilledWhileMade(t *testing.T) {
	t.Parallel()
	s := newPostgresStack(t)
	s.Program(strings.Join(linesWithout(s.text(), "  reads: ", "  reports: ", "  shop: "), ""))
	killed := func(done func() bool) {
		s.proxy.HoldAnswers(done)
		s.UpKilled(func(engine.Result) bool { return done() })
		s.proxy.Open()
		s.Unlock()
	}
	killed(func() bool { return s.users() == "app postgres" })
	assert.False(t, s.has("PostgresUser"), "it is made, and the state does not know it")
	assert.Contains(t, s.hushed(s.Up()).Diagnostics, "user app already existed in PostgreSQL with these values")

	s.Program(s.text())
	killed(func() bool { return s.databases() == "postgres shop" })
	s.hushed(s.Up())
	assert.True(t, s.Up("--refresh").Unchanged())
	assert.Equal(t, "pg_trgm", s.pg.SQL("shop", "SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'"))
}

// TestPostgresAway wants a refresh to end well while PostgreSQL is away, and what is taken out
// of the program to stay in the state.
func TestPostgresAway(t *testing.T) {
	t.Parallel()
	s := newPostgresStack(t)
	s.Up()
	s.proxy.Close()
	said := s.hushed(s.Refresh()).Diagnostics
	for _, what := range []string{"user app", "database shop", "grant shop/public/reports"} {
		assert.Contains(t, said, what+" could not be read from PostgreSQL, and its state was not refreshed: no PostgreSQL that takes writes answers at "+s.proxy.Endpoint+": connection refused")
	}
	s.proxy.Open()
	assert.True(t, s.Up("--refresh").Unchanged())
}
