package clusters

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lose takes machines away with all of their data.
func (c *cluster) lose(t *testing.T, members ...string) {
	t.Helper()
	for _, name := range members {
		c.World.RemoveAll(name)
	}
	c.silent(t, members...)
}

// silent waits until nobody answers at the addresses of members.
func (c *cluster) silent(t *testing.T, members ...string) {
	t.Helper()
	for _, name := range members {
		address := fmt.Sprintf("%s.%s:2379", c.subnet, name[strings.LastIndex(name, "-")+1:])
		require.Eventually(t, func() bool {
			connection, err := net.Dial("tcp", address)
			if err == nil {
				connection.Close()
			}
			return err != nil
		}, time.Minute, 50*time.Millisecond)
	}
}

// recoverFrom has the program name a member to recover from, or none.
func (c *cluster) recoverFrom(name string) {
	c.change(func(o *options) {
		if o.extra = ""; name != "" {
			o.extra = fmt.Sprintf("      recoverFrom: %s\n", name)
		}
	})
}

const filled = 100 // keys

// writeAll writes keys, which hasAll finds again.
func (c *cluster) writeAll(t *testing.T) {
	t.Helper()
	for to, n := c.numbers(t), 0; n < filled; n++ {
		require.NoError(t, to.Put(t.Context(), n))
	}
}

func (c *cluster) hasAll(t *testing.T) {
	t.Helper()
	there, err := c.numbers(t).Count(t.Context(), filled)
	require.NoError(t, err)
	assert.Equal(t, filled, there, "acknowledged writes are lost")
}
