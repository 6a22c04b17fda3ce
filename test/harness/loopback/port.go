package loopback

import (
	"fmt"
	"net"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ports are given from those below the kernel's own, which it gives to connections:
// nobody takes one between the look at it and its use. A process claims them by the
// hundred.
const (
	first    = 10000
	hundreds = 200
)

var ports struct {
	sync.Mutex
	claimed    []*os.File // open until the process ends
	next, left int
}

// Port is one that is free on all addresses.
func Port(t testing.TB) int {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	for {
		if ports.left == 0 {
			claimPorts(t)
		}
		port := ports.next
		ports.next, ports.left = port+1, ports.left-1
		if l, err := net.Listen("tcp", fmt.Sprint(":", port)); err == nil {
			require.NoError(t, l.Close())
			return port
		}
	}
}

func claimPorts(t testing.TB) {
	t.Helper()
	for i := range hundreds {
		from := first + (os.Getpid()+i)%hundreds*100
		if file := claim(t, fmt.Sprint("ports-", from)); file != nil {
			ports.claimed, ports.next, ports.left = append(ports.claimed, file), from, 100
			return
		}
	}
	require.Fail(t, "no port is free")
}
