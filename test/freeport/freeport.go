// Package freeport has ports for servers that tests start.
package freeport

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// next is below the ports that the kernel gives to who does not care, so that
// nobody takes one between the look at it and its use; each process begins
// elsewhere, since test binaries run side by side.
var next atomic.Int32

func init() { next.Store(10000 + int32(os.Getpid()%200)*100) }

// Get is a port that is free on all addresses.
func Get(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := int(next.Add(1))
		if l, err := net.Listen("tcp", fmt.Sprint(":", port)); err == nil {
			require.NoError(t, l.Close())
			return port
		}
	}
	require.Fail(t, "no port is free")
	return 0
}
