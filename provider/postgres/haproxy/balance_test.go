package haproxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
)

// TestFailover runs HAProxy in front of nodes that change their roles.
func TestFailover(t *testing.T) {
	t.Parallel()
	needHaproxy(t)
	p := freePorts(t)
	a := startNode(t, p, "127.0.77.11", "primary", "server")
	b := startNode(t, p, "127.0.77.12", "replica", "server")
	startNode(t, p, "127.0.77.13", "primary", "other") // of another authority
	lb := start(t, config(haproxy.Settings{Servers: []string{a.ip, b.ip, "127.0.77.13", "127.0.77.14"}}, t), p, "")
	metric := func(proxy, server string, up int) string {
		return fmt.Sprintf(`haproxy_server_status{proxy="%s",server="%s",state="UP"} %d`, proxy, server, up)
	}
	metrics := func() string { return lb.get("/metrics") }
	for _, server := range []string{b.ip, "127.0.77.13", "127.0.77.14"} {
		lb.until(t, metric("postgres_primary", server, 0), metrics)
		lb.until(t, metric("patroni", server, 0), metrics)
	}
	lb.until(t, metric("postgres_replica", a.ip, 0), metrics)
	lb.until(t, metric("postgres_replica", "127.0.77.13", 0), metrics)
	assert.Contains(t, lb.get("/"), "postgres_primary", "the page of statistics")
	for range 6 {
		assert.Equal(t, a.ip, lb.reaches(lb.primary))
		assert.Equal(t, b.ip, lb.reaches(lb.replica))
		assert.Equal(t, a.ip, lb.api(t))
	}

	session, _ := lb.session(lb.primary)
	a.role.Store("replica")
	b.role.Store("primary")
	demoted := time.Now()
	_, err := io.Copy(io.Discard, session)
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the session with the old primary must be cut")
	t.Logf("cut after %v", time.Since(demoted))
	lb.until(t, b.ip, func() string { return lb.reaches(lb.primary) })
	lb.until(t, b.ip, func() string { return lb.api(t) })
	lb.until(t, a.ip, func() string { return lb.reaches(lb.replica) })

	a.role.Store("primary")
	lb.until(t, metric("postgres_primary", a.ip, 1), metrics)
	assert.NotContains(t, []string{a.ip, b.ip}, lb.reaches(lb.primary), "with two primaries, neither is to be trusted")
}

// TestGoesDown has a node go down while a client waits for its PostgreSQL.
func TestGoesDown(t *testing.T) {
	t.Parallel()
	needHaproxy(t)
	p := freePorts(t)
	a := startNode(t, p, "127.0.77.41", "primary", "server")
	lb := start(t, config(haproxy.Settings{Servers: []string{a.ip}}, t), p, "")
	lb.until(t, a.ip, func() string { return lb.reaches(lb.primary) })
	require.NoError(t, a.postgres.Close())
	client, err := net.Dial("tcp", at(self, lb.primary))
	require.NoError(t, err)
	a.role.Store("replica")
	require.NoError(t, client.SetReadDeadline(time.Now().Add(within)))
	_, err = io.Copy(io.Discard, client)
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the client must not wait for ever")
}

// TestDomain stops the name server: the nodes must stay.
func TestDomain(t *testing.T) {
	t.Parallel()
	needHaproxy(t)
	p := freePorts(t)
	a := startNode(t, p, "127.0.77.21", "replica", "server")
	b := startNode(t, p, "127.0.77.22", "primary", "server")
	nameserver, stop := startNameserver(t, a.ip, b.ip)
	domain, most := "server.postgres.example.org", 3
	lb := start(t, config(haproxy.Settings{Domain: &domain, NameserverIPs: []string{"127.0.0.1"}, PostgresNodesMaxCount: &most}, t), p, nameserver)
	lb.until(t, b.ip, func() string { return lb.reaches(lb.primary) })
	lb.until(t, a.ip, func() string { return lb.reaches(lb.replica) })
	require.NoError(t, lb.process.Signal(syscall.SIGUSR2))
	lb.alwaysReaches(t, b.ip)
	stop()
	time.Sleep(12 * time.Second) // three retries of a second each, several times over
	assert.Equal(t, b.ip, lb.reaches(lb.primary))
	assert.Equal(t, a.ip, lb.reaches(lb.replica))
}

// TestReloadWithClients reloads another configuration while clients come.
func TestReloadWithClients(t *testing.T) {
	t.Parallel()
	needHaproxy(t)
	p := freePorts(t)
	a := startNode(t, p, "127.0.77.31", "replica", "server")
	b := startNode(t, p, "127.0.77.32", "primary", "server")
	c := startNode(t, p, "127.0.77.33", "replica", "server")
	lb := start(t, config(haproxy.Settings{Servers: []string{a.ip, b.ip}}, t), p, "")
	session, ip := lb.session(lb.primary)
	require.Equal(t, b.ip, ip, "also of a process that has just started")

	require.NoError(t, os.Rename(lb.conf, lb.conf+".good"))
	require.NoError(t, os.WriteFile(lb.conf, []byte("nonsense\n"), 0o600))
	require.NoError(t, lb.process.Signal(syscall.SIGUSR2))
	time.Sleep(time.Second)
	assert.Contains(t, lb.get("/health"), lb.hash, "a reload that failed leaves what was there")

	files, hash := files(t, config(haproxy.Settings{Servers: []string{a.ip, b.ip, c.ip}}, t), p, "")
	require.NotEqual(t, lb.hash, hash)
	home := strings.TrimSuffix(lb.conf, "haproxy.cfg")
	conf := strings.ReplaceAll(files["/etc/haproxy/haproxy.cfg"], "/etc/haproxy/", home)
	require.NoError(t, os.WriteFile(lb.conf, []byte(conf), 0o600))
	require.NoError(t, lb.process.Signal(syscall.SIGUSR2))
	lb.alwaysReaches(t, b.ip)
	assert.Contains(t, lb.get("/health"), hash)

	_, err := fmt.Fprintln(session, "still there")
	require.NoError(t, err)
	echo, err := bufio.NewReader(session).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "still there\n", echo)
}
