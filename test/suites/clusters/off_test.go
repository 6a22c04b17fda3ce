package clusters

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStartedByHand has a machine that was off when a refresh looked be started
// by hand: etcd serves there, and may restart only while the others hold a quorum.
func TestStartedByHand(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.World.PowerOff("etcd-1")
	c.silent(t, "etcd-1")
	c.Refresh()
	c.World.PowerOn("etcd-1")
	c.change(func(o *options) { o.extra, o.limit = setting, "20s" })
	require.Eventually(t, func() bool { return c.machines.Starts("etcd-1") == 2 && c.machines.Statuses()["etcd-1"].ID != 0 }, time.Minute, time.Second)
	c.World.Fail("update", "Domain", "etcd-1", "libvirt: connection lost")
	c.UpFails()
	c.World.Heal("update", "Domain", "etcd-1")
	c.machines.Off("etcd-2")
	assert.Contains(t, c.UpFails("--target", domain("etcd-1")).Diagnostics, "the cluster needs 2 healthy members besides etcd-1, and has 1")
	assert.Equal(t, 2, c.machines.Starts("etcd-1"), "it did not restart")
	c.machines.Mend("etcd-2")
	c.change(func(o *options) { o.limit = "90s" })
	c.Up()
	assert.Equal(t, 3, c.machines.Starts("etcd-1"))
	assert.True(t, c.Up().Unchanged())
}

// TestGrowsWhileOff has members added while the only one is off.
func TestGrowsWhileOff(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.writeAll(t)
	c.World.PowerOff("etcd-1")
	c.silent(t, "etcd-1")
	c.change(func(o *options) { o.members, o.limit = named(3), "90s" })
	c.Up("--refresh")
	assert.Len(t, c.voters(t), 3)
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestAllOffAfterFounding has an update find all members off that no gate has seen
// since they were founded: it changes none, and goes on when they are back.
func TestAllOffAfterFounding(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	before := c.machineID("etcd-1")
	for _, name := range named(3) {
		c.machines.Off(name)
	}
	c.change(func(o *options) { o.image, o.extra, o.limit = "debian-14.qcow2", setting, "20s" })
	c.UpFails()
	assert.Equal(t, before, c.machineID("etcd-1"))
	c.UpFails("--target-replace", domain("etcd-1"), "--target-dependents", "--target", plan)
	assert.Equal(t, before, c.machineID("etcd-1"))
	for _, name := range named(3) {
		c.machines.Mend(name)
	}
	c.change(func(o *options) { o.limit = "90s" })
	c.Up()
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestAddedWhenAllAnswer has a member lose its data while another one that votes is
// off: etcd adds nobody then, and the update says for whom it waits.
func TestAddedWhenAllAnswer(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(5)...)
	c.Up()
	c.writeAll(t)
	c.machines.SickFromNow("etcd-1")
	c.change(func(o *options) {
		o.of = map[string]string{"etcd-1": "            uri: qemu+ssh://b/system\n"}
		o.limit = "20s"
	})
	c.UpFails()
	c.machines.Off("etcd-2")
	c.machines.Sick("etcd-1", false)
	failed := c.UpFails()
	assert.Contains(t, failed.Diagnostics, "it has to be added, for which etcd requires that all voting members have been connected for five seconds\netcd-2 does not answer")
	c.machines.Mend("etcd-2")
	c.change(func(o *options) { o.limit = "90s" })
	c.Up()
	assert.Len(t, c.voters(t), 5)
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}
