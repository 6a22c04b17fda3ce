package haproxy_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// pool stands in for a node's PgBouncer, which says its address to who connects and
// echoes then, and says no to who asks for GSSAPI encryption.
type pool struct {
	ip     string
	port   int
	stuck  atomic.Bool // it takes connections, and says nothing
	listen net.Listener
}

func startPool(t *testing.T, ip string, port int) *pool {
	t.Helper()
	p := &pool{ip: ip, port: port}
	p.start(t)
	return p
}

func (p *pool) start(t *testing.T) {
	t.Helper()
	var err error
	p.listen, err = net.Listen("tcp", at(p.ip, p.port))
	require.NoError(t, err)
	listen := p.listen
	t.Cleanup(func() { _ = listen.Close() })
	go func() {
		for {
			c, err := listen.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
}

func (p *pool) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	gss, _ := hex.DecodeString("0000000804d21630")
	asked := make([]byte, 8)
	_ = c.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
	n, _ := io.ReadFull(c, asked)
	_ = c.SetReadDeadline(time.Time{})
	switch {
	case p.stuck.Load():
		_, _ = io.Copy(io.Discard, c)
	case n == 8 && bytes.Equal(asked, gss):
		_, _ = fmt.Fprint(c, "N")
	default:
		_, _ = fmt.Fprintln(c, p.ip)
		_, _ = io.Copy(c, c)
	}
}

// TestPooler runs HAProxy in front of pools: Patroni and the pool of a node must both answer.
func TestPooler(t *testing.T) {
	t.Parallel()
	needHaproxy(t)
	p, port := freePorts(t), loopback.Port(t)
	a := startNode(t, p, "127.0.77.51", "primary", "server")
	b := startNode(t, p, "127.0.77.52", "replica", "server")
	poolA, poolB := startPool(t, a.ip, port), startPool(t, b.ip, port)
	c := config(haproxy.Settings{Servers: []string{a.ip, b.ip}}, t)
	c.PoolerPort = port
	lb := start(t, c, p, "")
	reaches := func(port int) func() string { return func() string { return lb.reaches(port) } }
	lb.until(t, a.ip, reaches(p.pooler))
	lb.until(t, b.ip, reaches(p.poolerReplica))
	for range 6 {
		assert.Equal(t, a.ip, lb.reaches(p.pooler))
		assert.Equal(t, b.ip, lb.reaches(p.poolerReplica))
	}
	cut := func(what string, session net.Conn) {
		t.Helper()
		since := time.Now()
		_, err := io.Copy(io.Discard, session)
		assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "%s: the session must be cut", what)
		t.Logf("%s: cut after %v", what, time.Since(since))
	}

	session, _ := lb.session(p.pooler)
	require.NoError(t, poolA.listen.Close())
	cut("a pool that is down", session)
	assert.NotContains(t, []string{a.ip, b.ip}, lb.reaches(p.pooler))
	assert.Equal(t, a.ip, lb.reaches(p.primary), "PostgreSQL is there")
	poolA.start(t)
	lb.until(t, a.ip, reaches(p.pooler))

	session, _ = lb.session(p.poolerReplica)
	poolB.stuck.Store(true)
	cut("a pool that is stuck", session)
	poolB.stuck.Store(false)
	lb.until(t, b.ip, reaches(p.poolerReplica))

	session, _ = lb.session(p.pooler)
	a.role.Store("replica")
	b.role.Store("primary")
	cut("a switchover", session)
	lb.until(t, b.ip, reaches(p.pooler))
	lb.until(t, a.ip, reaches(p.poolerReplica))
}
