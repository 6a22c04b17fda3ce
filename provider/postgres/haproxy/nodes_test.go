package haproxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

func pki(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "pki", name))
	require.NoError(t, err)
	return string(b)
}

// ports are free ones, in place of those that a load balancer and its nodes have.
type ports struct{ primary, replica, patroni, metrics, pooler, poolerReplica int }

func at(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }

func freePorts(t *testing.T) ports {
	t.Helper()
	return ports{loopback.Port(t), loopback.Port(t), loopback.Port(t), loopback.Port(t), loopback.Port(t), loopback.Port(t)}
}

// node stands in for PostgreSQL, which says its address to who connects and
// echoes then, and for Patroni, which answers as its role has it.
type node struct {
	ip       string
	role     atomic.Value
	postgres net.Listener
}

func startNode(t *testing.T, p ports, ip, role, cert string) *node {
	t.Helper()
	postgres, err := net.Listen("tcp", at(ip, p.primary))
	require.NoError(t, err)
	t.Cleanup(func() { _ = postgres.Close() })
	n := &node{ip: ip, postgres: postgres}
	n.role.Store(role)
	go func() {
		for {
			c, err := postgres.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				_, _ = fmt.Fprintln(c, ip)
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	n.startPatroni(t, p, cert)
	return n
}

func (n *node) startPatroni(t *testing.T, p ports, cert string) {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(pki(t, cert+".crt")), []byte(pki(t, cert+".key")))
	require.NoError(t, err)
	clients := x509.NewCertPool()
	require.True(t, clients.AppendCertsFromPEM([]byte(pki(t, "ca.crt"))))
	api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/who":
			_, _ = fmt.Fprint(w, n.ip)
		case "/" + n.role.Load().(string):
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	api.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.VerifyClientCertIfGiven}
	api.Config.ErrorLog = log.New(io.Discard, "", 0)
	_ = api.Listener.Close()
	api.Listener, err = net.Listen("tcp", at(n.ip, p.patroni))
	require.NoError(t, err)
	api.StartTLS()
	t.Cleanup(api.Close)
}

// startNameserver answers every question for an IPv4 address with those of ips.
func startNameserver(t *testing.T, ips ...string) (addr string, stop func()) {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		b := make([]byte, 1500)
		for {
			n, client, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			end := 12 + slices.Index(b[12:n], 0) + 5 // of the question: name, type and class
			answer := slices.Concat(b[:2], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, b[12:end])
			if binary.BigEndian.Uint16(b[end-4:]) == 1 {
				answer[7] = byte(len(ips))
				for _, ip := range ips {
					answer = slices.Concat(answer, []byte{0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4}, net.ParseIP(ip).To4())
				}
			}
			_, _ = server.WriteTo(answer, client)
		}
	}()
	return server.LocalAddr().String(), func() { _ = server.Close() }
}
