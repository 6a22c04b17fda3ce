package postgres

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func servers(t *testing.T) (p pair) {
	t.Helper()
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(programs) == 0 {
		t.Skip("PostgreSQL is not installed: tools/setup test installs it")
	}
	dir, err := os.MkdirTemp("", "connection") // in one of t's only its own user may go
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	certify(t, dir)
	as := func(name string, args ...string) *exec.Cmd {
		command := exec.Command(filepath.Join(programs[0], name), args...)
		command.Dir = dir
		if os.Geteuid() == 0 { // whom PostgreSQL refuses to run as
			nobody, err := user.Lookup("nobody")
			require.NoError(t, err)
			uid, _ := strconv.Atoi(nobody.Uid)
			gid, _ := strconv.Atoi(nobody.Gid)
			require.NoError(t, os.Chown(filepath.Join(dir, "server.key"), uid, gid))
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		}
		return command
	}
	run := func(name string, args ...string) {
		out, err := as(name, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	serve := func(data string) string {
		port := free(t)
		server := as("postgres", "-D", data, "-p", port, "-k", dir, "-c", "listen_addresses=127.0.0.1,127.0.0.9", "-c", "fsync=off",
			"-c", "ssl=on", "-c", "ssl_cert_file="+dir+"/server.crt", "-c", "ssl_key_file="+dir+"/server.key")
		require.NoError(t, server.Start())
		t.Cleanup(func() { _ = server.Process.Signal(syscall.SIGQUIT); _ = server.Wait() })
		require.Eventually(t, func() bool { return as("pg_isready", "-h", dir, "-p", port).Run() == nil }, time.Minute, 100*time.Millisecond)
		return port
	}
	run("initdb", "--no-sync", "-D", dir+"/primary", "-U", "postgres", "-E", "UTF8", "--locale=C", "--auth-local=trust", "--auth-host=scram-sha-256")
	port := serve(dir + "/primary")
	for _, statement := range []string{`CREATE ROLE "o'neil@\x,:" LOGIN PASSWORD E'a b+c&d=%25\'\\"/:@'`, `CREATE DATABASE "my db/?#%41+'\ä"`, `CREATE DATABASE "my app"`} {
		run("psql", "-Xqh", dir, "-p", port, "-U", "postgres", "-c", statement)
	}
	run("pg_basebackup", "-R", "--no-sync", "-c", "fast", "-h", dir, "-p", port, "-U", "postgres", "-D", dir+"/standby")
	return pair{dir, "127.0.0.1:" + port, "127.0.0.1:" + serve(dir+"/standby"), "127.0.0.1:" + free(t), "127.0.0.9:" + port}
}

func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// certify writes a certificate that names 127.0.0.1, and its key.
func certify(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "postgres"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "server.crt"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "server.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}
