package embedetcd

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Door is an address of etcd that can be shut and opened again.
type Door struct {
	Endpoint string

	t      testing.TB
	behind string
	lock   sync.Mutex
	listen net.Listener
	open   []net.Conn
	frozen bool
	muted  func() bool
}

// NewDoor is an open one.
func NewDoor(t testing.TB, behind string) *Door {
	t.Helper()
	d := &Door{t: t, behind: behind, Endpoint: "127.0.0.1:0"}
	d.Open()
	t.Cleanup(d.Close)
	return d
}

// Open lets connections through.
func (d *Door) Open() {
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
func (d *Door) Close() {
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
func (d *Door) Freeze() {
	d.Close()
	d.Open()
	d.lock.Lock()
	defer d.lock.Unlock()
	d.frozen = true
}

// Mute holds back what etcd says once when is true, which is asked before each
// part of an answer: so etcd has done what is asked of it, and nobody learns it.
func (d *Door) Mute(when func() bool) {
	d.Close()
	d.Open()
	d.lock.Lock()
	defer d.lock.Unlock()
	d.muted = when
}

// answers are what etcd says, to the one who asked.
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

func (d *Door) through(c net.Conn) {
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
