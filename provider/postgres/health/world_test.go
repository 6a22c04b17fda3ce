package health_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// world is a cluster of nodes that answer as Patroni does, by its source
// (patroni/api.py, cluster_as_json), over mutual TLS as our nodes want it.
type world struct {
	t     *testing.T
	ca    authority
	port  int
	nodes []*node

	mutex  sync.Mutex
	leader string         // that has the lock
	config map[string]any // dynamic, in etcd
	pause  bool

	isSynchronous bool // a standby that is gone for a moment is one again
	scheduled     map[string]string
	switches      []string // as "postgres-1 to postgres-2"
	restarts      []string
	calls         int

	receives string // replication_state of the leader of a standby cluster; "" is that it receives nothing, and has no restore_command

	version int  // of PostgreSQL, as 150018
	wanted  int  // max_connections, for which PostgreSQL restarts; 0 is as it was
	reasons bool // whether Patroni says what waits, as it does from version 4 on
}

type node struct {
	world    *world
	name, ip string
	cert     tls.Certificate
	server   *http.Server

	// Below world.mutex.
	member, synchronous bool
	blank               bool   // it has no data
	state               string // of PostgreSQL
	location            int
	connections         int  // that PostgreSQL started with
	most                int  // connections that it starts with; 0 is any
	lacksEtcd           bool // so that it takes no settings
}

// newWorld has nodes that do not answer yet.
func newWorld(t *testing.T, network int, names ...string) *world {
	t.Helper()
	w := &world{t: t, ca: newAuthority(t), port: loopback.Port(t), config: map[string]any{"ttl": 30.0}}
	for i, name := range names {
		ip := fmt.Sprintf("127.0.%d.%d", network, i+1)
		w.nodes = append(w.nodes, &node{world: w, name: name, ip: ip, cert: w.ca.issue(t, ip), state: "running", member: true})
	}
	return w
}

// up has all nodes answer, the first as the leader and the second as its
// synchronous standby.
func (w *world) up() *world {
	for _, n := range w.nodes {
		n.start()
	}
	w.change(w.elect)
	return w
}

func (w *world) elect() {
	w.leader = w.nodes[0].name
	w.nodes[1].synchronous = true
}

// asked is how often a node was.
func (w *world) asked() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.calls
}

func (w *world) change(how func()) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	how()
}

// later changes the world while somebody waits.
func (w *world) later(how func()) {
	timer := time.AfterFunc(1500*time.Millisecond, how)
	w.t.Cleanup(func() { timer.Stop() })
}

func (n *node) start() {
	t := n.world.t
	listener, err := net.Listen("tcp", net.JoinHostPort(n.ip, fmt.Sprint(n.world.port)))
	if !assert.NoError(t, err) { // not require: it may be later
		return
	}
	n.server = &http.Server{Handler: n, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute, TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{n.cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: n.world.ca.pool(), MinVersion: tls.VersionTLS12,
	}}
	go func() { _ = n.server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { _ = n.server.Close() })
}

// freeze has a node accept connections and never answer, as a machine that is
// paused does.
func (n *node) freeze() {
	n.die()
	var listener net.Listener
	require.Eventually(n.world.t, func() (free bool) {
		var err error
		listener, err = net.Listen("tcp", net.JoinHostPort(n.ip, fmt.Sprint(n.world.port)))
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	n.world.t.Cleanup(func() { _ = listener.Close() })
}

// gone ends a node whose key in etcd has ended too.
func (n *node) gone() {
	n.die()
	n.world.change(func() { n.member, n.state = false, "gone" })
}

// die ends a node; its lock stays, as until its time is over.
func (n *node) die() { _ = n.server.Close() }
