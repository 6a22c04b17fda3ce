package health_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
)

// balance makes a load balancer, as far as its clients see it: what connects
// to the endpoint gets the PostgreSQL of the node that to names at that time.
func (w *world) balance(to func() *node) (endpoint string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			w.mutex.Lock()
			go serve(connection, to())
			w.mutex.Unlock()
		}
	}()
	return listener.Addr().String()
}

// serve answers as PostgreSQL does until it has shown who it is.
func serve(connection net.Conn, n *node) {
	defer connection.Close()
	request := make([]byte, 8)
	if _, err := io.ReadFull(connection, request); n == nil || err != nil || string(request) != "\x00\x00\x00\x08\x04\xd2\x16\x2f" {
		return
	}
	_, _ = connection.Write([]byte("S"))
	secure := tls.Server(connection, &tls.Config{Certificates: []tls.Certificate{n.cert}, MinVersion: tls.VersionTLS12})
	_, _ = secure.Read(request) // until the client is gone
}

// noted is what gates have noted of a node.
func (w *world) noted(name string) any {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	all, _ := w.config["quorum_nodes"].(map[string]any)
	return all[name]
}

// health are the inputs of a gate without a node.
func (w *world) health(t *testing.T, without string) health.HealthArgs {
	cert, key := texts(t, w.ca.issue(t, ""))
	standbys, skip := 1, false
	a := health.HealthArgs{
		CACert: w.ca.pem, ClientCert: cert, ClientKey: key, Without: &without,
		SynchronousStandbys: &standbys, MaximumLag: health.DefaultMaximumLag(), SkipHealthChecks: &skip,
	}
	for _, n := range w.nodes {
		a.Nodes = append(a.Nodes, health.Node{Name: n.name, IP: n.ip, APIPort: &w.port})
	}
	return a
}

// exports has a machine tell which generation it has in force.
func exports(t *testing.T, ip, generation string) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "9100"))
	require.NoError(t, err)
	exporter := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(out, "quorum_apply_info{generation=%q,outcome=\"done\"} 1\n", generation)
	})}
	go func() { _ = exporter.Serve(listener) }()
	t.Cleanup(func() { _ = exporter.Close() })
}
