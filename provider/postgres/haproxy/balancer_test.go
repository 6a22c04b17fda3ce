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

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
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
		CACert:   pki(t, "ca.crt"),
		Registry: &haproxy.Registry{URL: "https://registry.example.org"}, // for a configuration that needs no root
	}
}

// files are those of c with the ports of a test, and the name server's.
func files(t *testing.T, c haproxy.Config, p ports, nameserver string) (files map[string]string, hash string) {
	t.Helper()
	s, err := c.State()
	require.NoError(t, err)
	port := strings.NewReplacer("bind :5432", fmt.Sprintf("bind %s:%d", self, p.primary), "bind :5433", fmt.Sprintf("bind %s:%d", self, p.replica),
		"bind :6432", fmt.Sprintf("bind %s:%d", self, p.pooler), "bind :6433", fmt.Sprintf("bind %s:%d", self, p.poolerReplica),
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

// alwaysReaches requires clients to reach no other primary for a while.
func (b *balancer) alwaysReaches(t *testing.T, ip string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		require.Equal(t, ip, b.reaches(b.primary))
	}
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
