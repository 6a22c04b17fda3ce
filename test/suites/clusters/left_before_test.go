package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// shrunk is a cluster of one, of which two left the program and were removed.
func shrunk(t *testing.T) *cluster {
	t.Helper()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.change(func(o *options) { o.members = named(1) })
	c.Up()
	return c
}

// TestShrunkToOneThatIsAway has the only member be frozen, and changed more than once: those
// that left before have no vote any more.
func TestShrunkToOneThatIsAway(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*cluster){
		"its machine cannot be deleted at first": func(c *cluster) {
			c.World.Fail("delete", "Domain", "etcd-1", "libvirt: connection lost")
			c.change(func(o *options) { o.memory = 2048 })
			c.UpFails()
			c.World.Heal("delete", "Domain", "etcd-1")
		},
		"others come": func(c *cluster) {
			c.change(func(o *options) { o.members, o.memory = []string{"etcd-1", "etcd-4", "etcd-5"}, 2048 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shrunk(t)
			c.machines.Freeze("etcd-1")
			change(c)
			c.Up()
			c.hasAll(t)
			assert.ElementsMatch(t, c.options.members, c.all(t))
			assert.True(t, c.Up().Unchanged())
		})
	}
}

// TestLeftAndBackUnseen has two of three leave in an update that fails, and come back while no
// member answers: they have their votes still, and the third one's machine stays.
func TestLeftAndBackUnseen(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.change(func(o *options) { o.limit = "15s" })
	c.Up()
	machine := c.machineID("etcd-1")
	c.World.Fail("update", "Domain", "etcd-1", "libvirt: connection lost")
	c.change(func(o *options) { o.members, o.extra = named(1), setting })
	c.UpFails()
	c.World.Heal("update", "Domain", "etcd-1")
	for _, name := range named(3) {
		c.machines.Freeze(name)
	}
	c.change(func(o *options) { o.members, o.extra = named(3), "" })
	c.UpFails()
	for range 2 {
		c.UpFails("--replace", domain("etcd-1"))
		assert.Equal(t, machine, c.machineID("etcd-1"))
	}
	for _, name := range named(3) {
		c.machines.Mend(name)
	}
	c.change(func(o *options) { o.limit = "90s" })
	c.Up()
	c.hasAll(t)
	assert.ElementsMatch(t, named(3), c.all(t))
	assert.True(t, c.Up().Unchanged())
}
