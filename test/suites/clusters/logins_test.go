package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const anotherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEQEgiTPrEHuz8PlwYN9KnPHb3rUaWb1RX4XbU1c2Y6d another@example.org"

// TestAnotherKey has a cluster take another key, and other DNS servers, one machine after the other, which go on. One
// that a machine does not take ends the update there.
func TestAnotherKey(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	writer := c.write(t)
	c.change(func(o *options) { o.key = anotherKey })
	up := c.Up()
	assert.Equal(t, append([]string{"update EtcdHealth plan"}, oneByOne(c.options.members...)...), order(up))
	assert.Empty(t, up.Ops("Volume"))
	for _, name := range c.options.members {
		assert.Contains(t, c.World.State(name), anotherKey, name)
	}
	assert.True(t, c.Up().Unchanged())

	c.machines.Refuse("etcd-2", "quorum-resolver.service: is failed")
	c.change(func(o *options) { o.dns = "10.77.0.53" })
	assert.Contains(t, c.UpFails().Diagnostics, "etcd-2: it could not apply its new configuration (rolled back): quorum-resolver.service: is failed")
	assert.False(t, strings.Contains(c.World.State("etcd-3"), "quorum-resolver"), "those after it are left alone")
	c.machines.Refuse("etcd-2", "")
	c.change(func(o *options) { o.dns = "" })
	c.Up()
	assert.True(t, c.Up().Unchanged())
	writer.stop(t)
}
