package haproxy_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/haproxy"
)

const (
	self   = "127.0.77.1"
	within = 20 * time.Second // on a busy machine
)

// balancer is a HAProxy that runs with what a Config gives, on other ports.
type balancer struct {
	ports
	conf, hash string
	process    *os.Process
}

func config(s haproxy.Settings, t *testing.T) haproxy.Config {
	return haproxy.Config{
		IPs: []string{self}, Haproxy: s,
		TLS:      haproxy.TLS{CACert: pki(t, "ca.crt"), ClientCert: pki(t, "server.crt"), ClientKey: pki(t, "server.key")},
		Registry: &haproxy.Registry{URL: "https://registry.example.org"}, // for a configuration that needs no root
	}
}

// files are those of c with the ports of a test, and the name server's.
func files(t *testing.T, c haproxy.Config, p ports, nameserver string) (files map[string]string, hash string) {
	t.Helper()
	s, err := c.State()
	require.NoError(t, err)
	port := strings.NewReplacer("bind :5432", fmt.Sprintf("bind %s:%d", self, p.primary), "bind :5433", fmt.Sprintf("bind %s:%d", self, p.replica),
		"bind :4443", fmt.Sprintf("bind %s:%d", self, p.patroni), ":5432", fmt.Sprint(":", p.primary), ":4443", fmt.Sprint(":", p.patroni),
		"port 4443", fmt.Sprint("port ", p.patroni), ":8404", fmt.Sprint(":", p.metrics), "127.0.0.1:53", nameserver)
	files = map[string]string{}
	for _, f := range s.Files {
		files[f.Path] = port.Replace(f.Content)
	}
	return files, s.Services[0].Check.Contains
}

func start(t *testing.T, c haproxy.Config, p ports, nameserver string) *balancer {
	t.Helper()
	needHaproxy(t)
	files, hash := files(t, c, p, nameserver)
	b := &balancer{ports: p, conf: install(t, files), hash: hash}
	var said safeBuffer
	cmd := exec.Command(program, "-W", "-db", "-f", b.conf)
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	b.process = cmd.Process
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	b.until(t, hash, func() string { return b.get("/health") })
	return b
}

// until waits for an answer that has what is wanted.
func (b *balancer) until(t *testing.T, wanted string, ask func() string) {
	t.Helper()
	got := ask()
	for end := time.Now().Add(within); !strings.Contains(got, wanted); got = ask() {
		require.Truef(t, time.Now().Before(end), "%s was wanted, not %.2000s", wanted, got)
		time.Sleep(100 * time.Millisecond)
	}
}

func (b *balancer) get(path string) string {
	resp, err := http.Get("http://" + at(self, b.metrics) + path)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	return string(text)
}

// session is a connection to PostgreSQL, and the node it reached.
func (b *balancer) session(port int) (net.Conn, string) {
	c, err := net.Dial("tcp", at(self, port))
	if err != nil {
		return nil, err.Error()
	}
	_ = c.SetReadDeadline(time.Now().Add(within))
	ip, err := bufio.NewReaderSize(c, 16).ReadString('\n')
	if err != nil {
		return c, err.Error()
	}
	return c, strings.TrimSpace(ip)
}

func (b *balancer) reaches(port int) string {
	c, ip := b.session(port)
	if c != nil {
		_ = c.Close()
	}
	return ip
}

// api asks Patroni through the load balancer who answers.
func (b *balancer) api(t *testing.T) string {
	pair, err := tls.X509KeyPair([]byte(pki(t, "server.crt")), []byte(pki(t, "server.key")))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(pki(t, "ca.crt")))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		Certificates: []tls.Certificate{pair}, RootCAs: roots, ServerName: "127.0.0.1",
	}}}
	resp, err := client.Get("https://" + at(self, b.patroni) + "/who")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	return string(text)
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

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
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		require.Equal(t, b.ip, lb.reaches(lb.primary))
	}
	assert.Contains(t, lb.get("/health"), hash)

	_, err := fmt.Fprintln(session, "still there")
	require.NoError(t, err)
	echo, err := bufio.NewReader(session).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "still there\n", echo)
}
