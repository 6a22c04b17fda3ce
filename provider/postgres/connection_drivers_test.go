package postgres

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

const asked = "SELECT concat_ws(' ', current_user, current_database(), pg_is_in_recovery())"

// drivers say what a server answers. Each is given what is made for it, as it is.
var drivers = map[string]func(*testing.T, Connection) (string, error){
	"psql": func(t *testing.T, c Connection) (string, error) { return said(t, "psql", "-XAtd", c.URI, "-c", asked) },
	"psql with conninfo": func(t *testing.T, c Connection) (string, error) {
		return said(t, "psql", "-XAtd", c.Conninfo, "-c", asked)
	},
	"psycopg": func(t *testing.T, c Connection) (string, error) {
		return application(t, c, "/usr/bin/python3", "app.py")
	},
	"pgx":               func(t *testing.T, c Connection) (string, error) { return application(t, c, "go", "run", ".") },
	"pgx with conninfo": func(t *testing.T, c Connection) (string, error) { return byPgx(t.Context(), c.Conninfo) },
	"JDBC": func(t *testing.T, c Connection) (string, error) {
		return application(t, c, "java", "-cp", "/usr/share/java/postgresql.jar", "App.java")
	},
	"node-postgres": func(t *testing.T, c Connection) (string, error) { return application(t, c, "node", "app.js") },
}

// needs is what a driver is not there without: tools/setup and `make sdk` install them.
var needs = map[string]string{"psycopg": "/usr/lib/python3/dist-packages/psycopg", "JDBC": "/usr/share/java/postgresql.jar", "node-postgres": nodeModules + "/pg"}

// application runs that of a language, in examples.
func application(t *testing.T, c Connection, name string, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	modules, err := filepath.Abs(nodeModules)
	require.NoError(t, err)
	command.Dir = "../../examples/application"
	command.Env = append(os.Environ(), "DATABASE_URL="+c.URI, "JDBC_URL="+c.JDBCURL, "NODE_PATH="+modules)
	out, err := command.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

const nodeModules = "../../examples/typescript/node_modules"

func said(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func byPgx(ctx context.Context, to string) (answer string, err error) {
	conn, err := pgx.Connect(ctx, to)
	if err != nil {
		return err.Error(), err
	}
	defer conn.Close(ctx)
	return answer, conn.QueryRow(ctx, asked).Scan(&answer)
}

// TestDrivers has drivers connect to PostgreSQL, a primary and a standby, over TLS.
func TestDrivers(t *testing.T) {
	t.Parallel()
	at := servers(t)
	ca := filepath.Join(at.dir, "server.crt")
	args := ConnectionArgs{Database: "my db/?#%41+'\\ä", User: to(`o'neil@\x,:`), Password: to(`a b+c&d=%25'\"/:@`), SSLRootCert: &ca}
	with := func(attrs TargetSessionAttrs, endpoints ...string) ConnectionArgs {
		a := args
		a.Endpoints = endpoints
		if attrs != "" {
			a.TargetSessionAttrs = &attrs
		}
		return a
	}
	wrong := with("", at.primary)
	wrong.Password = to("another")
	for name, c := range map[string]struct {
		args ConnectionArgs
		want string // whether it is a standby, or "" where nothing is to connect
	}{
		"the only one":             {with("", at.primary), "f"},
		"the writer behind others": {with(readWrite, at.nobody, at.standby, at.primary), "f"},
		"a reader":                 {with(preferStandby, at.nobody, at.primary, at.standby), "t"},
		"a reader without standby": {with(preferStandby, at.nobody, at.primary), "f"},
		"the first that answers":   {with("", at.nobody, at.standby, at.primary), "t"},
		"no writer":                {with(readWrite, at.standby), ""},
		"another name":             {with("", at.unnamed), ""},
		"another password":         {wrong, ""},
	} {
		for driver, ask := range drivers {
			if _, err := os.Stat(needs[driver]); needs[driver] != "" && err != nil {
				t.Logf("%s is not installed", driver)
				continue
			}
			if driver == "node-postgres" && (len(c.args.Endpoints) > 1 || c.args.TargetSessionAttrs != nil) {
				continue // it takes one host, and the role that this has
			}
			t.Run(name+"/"+driver, func(t *testing.T) {
				args := c.args
				if driver == "node-postgres" {
					args.Database = "my app" // of a path it leaves some escapes as they are
				}
				got, err := connect(t, args)
				require.NoError(t, err)
				answer, err := ask(t, got)
				if c.want == "" {
					assert.Error(t, err, answer)
					return
				}
				require.NoError(t, err, answer)
				assert.Equal(t, *args.User+" "+args.Database+" "+c.want, answer)
			})
		}
	}
}

// pair is a primary and a standby, and addresses where nobody answers, or one
// that their certificate does not name.
type pair struct{ dir, primary, standby, nobody, unnamed string }

func servers(t *testing.T) pair {
	t.Helper()
	primary := localpostgres.Start(t)
	primary.SQL("postgres", `CREATE ROLE "o'neil@\x,:" LOGIN PASSWORD E'a b+c&d=%25\'\\"/:@'`, `CREATE DATABASE "my db/?#%41+'\ä"`, `CREATE DATABASE "my app"`)
	return pair{primary.Dir, primary.Endpoint(), primary.Standby().Endpoint(), "127.0.0.1:" + localpostgres.Free(t), localpostgres.Unnamed + ":" + primary.Port}
}
