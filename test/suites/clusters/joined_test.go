package clusters

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGrownAndOff has two members join the only one, after the first gate has looked: while
// nobody answers, the machine of the first one is not taken for the only one's.
func TestGrownAndOff(t *testing.T) {
	t.Parallel()
	for name, grow := range map[string]func(*cluster){
		"by an update": func(c *cluster) {
			c.Up()
			c.change(func(o *options) { o.limit = "15s" })
			c.Up() // a guard has the limit of the update before
		},
		"by an update that came no further": func(c *cluster) {
			c.machines.SickFromNow("etcd-3")
			c.change(func(o *options) { o.limit = "30s" })
			c.UpFails()
			c.machines.Sick("etcd-3", false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, "etcd-1")
			c.Up()
			c.writeAll(t)
			c.change(func(o *options) { o.members = named(3) })
			grow(c)
			require.Contains(t, c.all(t), "etcd-2")
			machine := c.machineID("etcd-1")
			for _, name := range named(3) {
				c.machines.Off(name)
			}
			for range 2 {
				c.UpFails("--replace", domain("etcd-1"))
				assert.Equal(t, machine, c.machineID("etcd-1"))
			}
			for _, name := range named(3) {
				c.machines.Mend(name)
			}
			c.change(func(o *options) { o.limit = "90s" })
			c.Up("--replace", domain("etcd-1"))
			assert.NotEqual(t, machine, c.machineID("etcd-1"))
			c.hasAll(t)
			assert.ElementsMatch(t, named(3), c.all(t))
			assert.True(t, c.Up().Unchanged())
		})
	}
}

// TestGuardedBeforeItIsHealthy has a machine be gone, be made again, and its member come up
// only after the update: it is not destroyed while another one is off.
func TestGuardedBeforeItIsHealthy(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.World.Remove("Domain", "etcd-2")
	c.machines.SickFromNow("etcd-2")
	c.change(func(o *options) { o.limit = "15s" })
	c.UpFails("--refresh")
	machine := c.machineID("etcd-2")
	require.NotEmpty(t, machine)
	c.machines.Sick("etcd-2", false)
	require.Eventually(t, func() bool { return c.machines.Statuses()["etcd-2"].ID != 0 }, time.Minute, time.Second)
	c.machines.Off("etcd-1")
	for range 2 {
		c.UpFails("--target-replace", domain("etcd-2"), "--target-dependents", "--target", plan)
		assert.Equal(t, machine, c.machineID("etcd-2"))
	}
	c.machines.Mend("etcd-1")
	c.change(func(o *options) { o.limit = "90s" })
	c.Up()
	c.hasAll(t)
	assert.Len(t, c.voters(t), 3)
	assert.True(t, c.Up().Unchanged())
}

// TestLeftUnseenAndOneAdded has a member leave and another one be added while nobody answers.
// The one that left stays off: etcd adds nobody before it is out.
func TestLeftUnseenAndOneAdded(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	for _, name := range named(3) {
		c.machines.Off(name)
	}
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-2", "etcd-4"}, "15s" })
	c.UpFails()
	c.machines.Mend("etcd-1")
	c.machines.Mend("etcd-2")
	c.change(func(o *options) { o.limit = "90s" })
	c.Up()
	c.hasAll(t)
	assert.ElementsMatch(t, c.options.members, c.all(t))
	assert.True(t, c.Up().Unchanged())
}

// TestChangedBeforeItIsFounded has a first update make two of three machines, which wait for
// the third one, and the program change before the next update: they may be rebuilt.
func TestChangedBeforeItIsFounded(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.World.Fail("create", "Domain", "etcd-3", "libvirt: connection lost")
	c.UpFails()
	c.World.Heal("create", "Domain", "etcd-3")
	first := c.machineID("etcd-1")
	require.NotEmpty(t, first)
	c.change(func(o *options) { o.memory = 2048 })
	c.Up()
	assert.NotEqual(t, first, c.machineID("etcd-1"))
	assert.Len(t, c.voters(t), 3)
	assert.True(t, c.Up().Unchanged())
}

// TestFirstImageIsWrong has a first update make machines on which etcd never comes up, and
// the next one rebuild them from another image; but not what data may lie on.
func TestFirstImageIsWrong(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	for _, name := range named(3) {
		c.machines.SickFromNow(name)
	}
	c.change(func(o *options) { o.limit = "15s" })
	c.UpFails()
	for _, name := range named(3) {
		c.machines.Sick(name, false)
		c.machines.Off(name) // until its machine is another one
	}
	c.change(func(o *options) { o.pool = "other" })
	assert.Contains(t, c.UpFails().Diagnostics, "No update of this cluster has completed yet. If etcd never ran, `pulumi destroy` loses nothing")
	c.change(func(o *options) { o.pool, o.image, o.limit = "", "debian-14.qcow2", "90s" })
	c.Up()
	assert.Len(t, c.voters(t), 3)
	assert.True(t, c.Up().Unchanged())
}
