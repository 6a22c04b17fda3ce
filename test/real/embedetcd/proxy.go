package embedetcd

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proxy is an address in front of etcd that can refuse, freeze or delay connections.
type Proxy struct {
	Endpoint string

	t      testing.TB
	behind string
	lock   sync.Mutex
	listen net.Listener
	open   []net.Conn
	frozen bool
	muted  func() bool
}

// NewProxy is one that lets connections through.
func NewProxy(t testing.TB, behind string) *Proxy {
	t.Helper()
	d := &Proxy{t: t, behind: behind, Endpoint: "127.0.0.1:0"}
	d.Open()
	t.Cleanup(d.Close)
	return d
}

// Open lets connections through.
func (d *Proxy) Open() {
	d.t.Helper()
	d.Close()
	l, err := net.Listen("tcp", d.Endpoint)
	require.NoError(d.t, err)
	d.lock.Lock()
	defer d.lock.Unlock()
	d.listen, d.Endpoint, d.frozen, d.muted = l, l.Addr().String(), false, nil
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.through(c)
		}
	}()
}

// Close refuses connections, and ends those that are.
func (d *Proxy) Close() {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.listen != nil {
		d.listen.Close()
	}
	d.listen = nil
	for _, c := range d.open {
		c.Close()
	}
	d.open = nil
}

// Freeze accepts connections, and lets nothing through any more.
func (d *Proxy) Freeze() {
	d.Close()
	d.Open()
	d.lock.Lock()
	defer d.lock.Unlock()
	d.frozen = true
}

// HoldAnswers holds back answers of etcd once when() is true, which is asked before each
// part of an answer: so etcd has done what it was asked for, and the client does not know.
func (d *Proxy) HoldAnswers(when func() bool) {
	d.Close()
	d.Open()
	d.lock.Lock()
	defer d.lock.Unlock()
	d.muted = when
}

// answers are those of etcd to a client.
type answers struct {
	net.Conn
	muted func() bool
}

func (a answers) Write(part []byte) (int, error) {
	if a.muted != nil && a.muted() {
		return len(part), nil
	}
	return a.Conn.Write(part)
}

func (d *Proxy) through(c net.Conn) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.open = append(d.open, c)
	if d.frozen {
		return
	}
	other, err := net.Dial("tcp", d.behind)
	if err != nil {
		c.Close()
		return
	}
	d.open = append(d.open, other)
	for _, pair := range [][2]net.Conn{{answers{c, d.muted}, other}, {other, c}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1])
			pair[0].Close()
		}()
	}
}
