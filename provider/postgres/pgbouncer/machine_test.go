package pgbouncer_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// machine runs PostgreSQL and PgBouncer with the files of a node, in another folder, on other ports.
type machine struct {
	all           *testing.T // with its parts
	dir, programs string
	port, pooler  int
	files         map[string]string
	me, release   string // release: what its PgBouncer knows
	as            *syscall.Credential

	postgres, bouncer *os.Process
	stopped           chan struct{} // PgBouncer
	log               buffer        // PgBouncer's
}

func start(t *testing.T) *machine {
	t.Helper()
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if _, err := exec.LookPath("pgbouncer"); err != nil || len(programs) == 0 {
		t.Skip("PgBouncer and PostgreSQL are not installed: tools/setup test installs them")
	}
	dir, err := os.MkdirTemp("", "pool") // in one of t's only its own user may go
	require.NoError(t, err)
	p := &machine{all: t, dir: dir, programs: programs[0], port: loopback.Port(t), pooler: loopback.Port(t), stopped: make(chan struct{})}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	me, err := user.Current()
	require.NoError(t, err)
	if os.Geteuid() == 0 { // whom PostgreSQL refuses to run as
		me, err = user.Lookup("nobody")
		require.NoError(t, err)
		uid, _ := strconv.Atoi(me.Uid)
		gid, _ := strconv.Atoi(me.Gid)
		p.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		require.NoError(t, os.Chown(dir, uid, gid))
	}
	p.me = me.Username
	p.install(t)
	p.found(t)
	p.lookup(t)
	p.lookup(t)
	release, err := p.command("release").Output()
	require.NoError(t, err)
	p.release = string(release)
	require.NoError(t, os.WriteFile(dir+"/release.ini", release, 0o644))
	p.serveBouncer(t)
	return p
}

// install writes the files that a node has, as its golden state has them.
func (p *machine) install(t *testing.T) {
	t.Helper()
	var state guest.State
	text, err := os.ReadFile("../../testdata/postgres-server/pooler/state.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &state))
	here := strings.NewReplacer("/etc/pgbouncer", p.dir, "/run/pgbouncer", p.dir, "/var/run/postgresql", p.dir,
		"listen_addr = 10.77.0.11", "listen_addr = 127.0.0.1", "listen_port = 6432", fmt.Sprint("listen_port = ", p.pooler),
		"port=5432", fmt.Sprint("port=", p.port))
	p.files = map[string]string{}
	for _, f := range state.Files {
		p.files[f.Path] = f.Content
		if strings.HasPrefix(f.Path, "/etc/pgbouncer/") || strings.HasSuffix(f.Path, "/quorum-pgbouncer") {
			p.write(t, filepath.Base(f.Path), here.Replace(f.Content))
		}
	}
}

func (p *machine) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	if strings.HasPrefix(name, "quorum-") {
		require.NoError(t, os.Chmod(path, 0o755))
	}
	if p.as != nil {
		require.NoError(t, os.Chown(path, int(p.as.Uid), int(p.as.Gid)))
	}
}

// found makes a cluster with the rules of a node. Who runs it stands in for the system's users.
func (p *machine) found(t *testing.T) {
	t.Helper()
	out, err := p.program(p.programs+"/initdb", "--no-sync", "-D", p.dir+"/data", "-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "reject").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var node struct {
		Settings struct {
			Postgresql struct {
				Rules []string `json:"pg_hba"`
			} `json:"postgresql"`
		} `json:"settings"`
	}
	require.NoError(t, json.Unmarshal([]byte(p.files["/etc/patroni/quorum.json"]), &node))
	rules := strings.Join(node.Settings.Postgresql.Rules, "\n") + "\n"
	require.Contains(t, rules, "quorum_pooler peer\n")
	p.write(t, "data/pg_hba.conf", strings.ReplaceAll(rules, " peer\n", " peer map=here\n"))
	p.write(t, "data/pg_ident.conf", fmt.Sprintf("here %s postgres\nhere %[1]s quorum_pooler\n", p.me))
	p.servePostgres(t)
	p.sql(t, "postgres", `ALTER ROLE postgres PASSWORD 'secret'`, `CREATE ROLE app LOGIN PASSWORD 'secret'`, `CREATE ROLE other LOGIN PASSWORD 'secret'`,
		`CREATE ROLE outside LOGIN PASSWORD 'secret'`, `CREATE ROLE carded LOGIN PASSWORD 'secret'`, `CREATE ROLE admin SUPERUSER LOGIN PASSWORD 'secret'`,
		`CREATE ROLE replicator REPLICATION LOGIN PASSWORD 'secret'`, `CREATE ROLE rewind_user LOGIN PASSWORD 'secret'`, `CREATE ROLE team PASSWORD 'secret'`,
		`CREATE ROLE expired LOGIN PASSWORD 'secret' VALID UNTIL '2001-01-01'`, `CREATE DATABASE "my app"`, `CREATE DATABASE other`)
}

func (p *machine) program(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = p.dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Pdeathsig: syscall.SIGKILL, Setpgid: true}
	c.Env = append(os.Environ(), "HOME="+p.dir, "RUNTIME_DIRECTORY="+p.dir, "PGHOST="+p.dir, "PGPORT="+strconv.Itoa(p.port), "PGUSER=postgres")
	return c
}

// command is one of quorum-pgbouncer's.
func (p *machine) command(verb string) *exec.Cmd { return p.program(p.dir+"/quorum-pgbouncer", verb) }

func (p *machine) lookup(t *testing.T) {
	t.Helper()
	out, err := p.command("lookup").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
}

// run has one of them run until the end of the test.
func (p *machine) run(t *testing.T, verb string) {
	t.Helper()
	c := p.command(verb)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	})
}

func (p *machine) servePostgres(t *testing.T) {
	t.Helper()
	if p.postgres != nil {
		_, _ = p.postgres.Wait()
	}
	c := p.program(p.programs+"/postgres", "-D", p.dir+"/data", "-p", strconv.Itoa(p.port), "-k", p.dir, "-c", "listen_addresses=", "-c", "fsync=off")
	require.NoError(t, c.Start())
	p.postgres = c.Process
	p.all.Cleanup(func() { _ = c.Process.Signal(syscall.SIGQUIT); _, _ = c.Process.Wait() })
	require.Eventually(t, func() bool { return p.program(p.programs+"/pg_isready").Run() == nil }, time.Minute, 50*time.Millisecond)
}

func (p *machine) serveBouncer(t *testing.T) {
	t.Helper()
	c := p.program("sh", "-c", "ulimit -n 8192 && exec pgbouncer pgbouncer.ini")
	c.Stdout, c.Stderr = &p.log, &p.log
	require.NoError(t, c.Start())
	p.bouncer = c.Process
	go func() {
		_ = c.Wait()
		close(p.stopped)
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-p.stopped
		if t.Failed() {
			log := p.log.String()
			t.Log(log[max(0, len(log)-5000):])
		}
	})
	require.Eventually(t, func() bool { return strings.Contains(p.log.String(), "process up") }, time.Minute, 50*time.Millisecond)
}

func (p *machine) connect(t *testing.T, to string) (*pgx.Conn, error) {
	t.Helper()
	if !strings.Contains(to, "sslmode") {
		to += " sslmode=require"
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return pgx.Connect(ctx, fmt.Sprintf("host=127.0.0.1 port=%d default_query_exec_mode=simple_protocol %s", p.pooler, to))
}

func (p *machine) ask(t *testing.T, to, query string) (answer string, err error) {
	t.Helper()
	c, err := p.connect(t, to)
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close(context.Background()) }()
	return answer, c.QueryRow(t.Context(), query).Scan(&answer)
}

// sql has the superuser run statements, on the machine.
func (p *machine) sql(t *testing.T, database string, statements ...string) string {
	t.Helper()
	args := []string{"-XAtqv", "ON_ERROR_STOP=1", "-d", database}
	for _, s := range statements {
		args = append(args, "-c", s)
	}
	out, err := p.program("psql", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// backends are the connections of a user that PostgreSQL has.
func (p *machine) backends(t *testing.T, of string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(p.sql(t, "postgres", "SELECT count(*) FROM pg_stat_activity WHERE usename = '"+of+"' AND datname = 'postgres'")))
	require.NoError(t, err)
	return n
}

// reload has PgBouncer take another configuration.
func (p *machine) reload(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(p.dir + "/pgbouncer.ini")
	require.NoError(t, err)
	require.Contains(t, string(text), from)
	p.write(t, "pgbouncer.ini", strings.ReplaceAll(string(text), from, to))
	require.NoError(t, p.bouncer.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool { return strings.Contains(p.log.String(), "got SIGHUP") }, time.Minute, 50*time.Millisecond)
}

// declines asks as load balancers do whether PgBouncer answers.
func (p *machine) declines(t *testing.T) {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", p.pooler))
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	gss, _ := hex.DecodeString("0000000804d21630")
	_, err = c.Write(gss)
	require.NoError(t, err)
	answer := make([]byte, 1)
	_, err = io.ReadFull(c, answer)
	require.NoError(t, err)
	require.Equal(t, "N", string(answer))
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
