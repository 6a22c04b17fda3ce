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
		return said(t, "/usr/bin/python3", "-c", "import psycopg, sys\nprint(psycopg.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])", c.URI, asked)
	},
	"pgx":               func(t *testing.T, c Connection) (string, error) { return byPgx(t.Context(), c.URI) },
	"pgx with conninfo": func(t *testing.T, c Connection) (string, error) { return byPgx(t.Context(), c.Conninfo) },
	"JDBC": func(t *testing.T, c Connection) (string, error) {
		source := filepath.Join(t.TempDir(), "Ask.java")
		require.NoError(t, os.WriteFile(source, []byte(`import java.sql.*;
class Ask {
    public static void main(String[] a) throws Exception {
        var row = DriverManager.getConnection(a[0]).createStatement().executeQuery(a[1]);
        row.next();
        System.out.println(row.getString(1));
    }
}`), 0o600))
		return said(t, "java", "-cp", "/usr/share/java/postgresql.jar", source, c.JDBCURL, asked)
	},
	"node-postgres": func(t *testing.T, c Connection) (string, error) {
		return said(t, "node", "-e", `const { Client } = require("pg"); (async () => {
			const client = new Client(process.argv[1]);
			await client.connect();
			console.log((await client.query(process.argv[2])).rows[0].concat_ws);
			await client.end();
		})().catch(e => { console.error(e); process.exit(1) })`, c.URI, asked)
	},
}

// needs is what a driver is not there without: tools/setup and `make sdk` install them.
var needs = map[string]string{"psycopg": "/usr/lib/python3/dist-packages/psycopg", "JDBC": "/usr/share/java/postgresql.jar", "node-postgres": nodeModules + "/pg"}

const nodeModules = "../../examples/typescript/node_modules"

func said(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	modules, err := filepath.Abs(nodeModules)
	require.NoError(t, err)
	command.Env = append(os.Environ(), "NODE_PATH="+modules)
	out, err := command.CombinedOutput()
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
