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
	p := &Proxy{t: t, behind: behind, Endpoint: "127.0.0.1:0"}
	p.Open()
	t.Cleanup(p.Close)
	return p
}

// Open lets connections through.
func (p *Proxy) Open() {
	p.t.Helper()
	p.Close()
	l, err := net.Listen("tcp", p.Endpoint)
	require.NoError(p.t, err)
	p.lock.Lock()
	defer p.lock.Unlock()
	p.listen, p.Endpoint, p.frozen, p.muted = l, l.Addr().String(), false, nil
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.through(c)
		}
	}()
}

// Close refuses connections, and ends those that are.
func (p *Proxy) Close() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.listen != nil {
		p.listen.Close()
	}
	p.listen = nil
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

// Freeze accepts connections, and lets nothing through any more.
func (p *Proxy) Freeze() {
	p.Close()
	p.Open()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.frozen = true
}

// HoldAnswers holds back answers of etcd once when() is true, which is asked before each
// part of an answer: so etcd has done what it was asked for, and the client does not know.
func (p *Proxy) HoldAnswers(when func() bool) {
	p.Close()
	p.Open()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.muted = when
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

func (p *Proxy) through(c net.Conn) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.open = append(p.open, c)
	if p.frozen {
		return
	}
	other, err := net.Dial("tcp", p.behind)
	if err != nil {
		c.Close()
		return
	}
	p.open = append(p.open, other)
	for _, pair := range [][2]net.Conn{{answers{c, p.muted}, other}, {other, c}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1])
			pair[0].Close()
		}()
	}
}
