package clusters

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTargetLeaves has updates with --target delete the machine of a member that
// left the program: not while what its guard asks by is left out.
func TestTargetLeaves(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	before := c.machineID("etcd-3")
	c.change(func(o *options) { o.members = named(2) })
	c.Try(time.Minute, "up", "--target", domain("etcd-3"), "--target-dependents")
	assert.Equal(t, before, c.machineID("etcd-3"))
	assert.Len(t, c.voters(t), 3)
	c.Up("--target", domain("etcd-3"), "--target-dependents", "--target", plan)
	assert.Empty(t, c.machineID("etcd-3"))
	assert.ElementsMatch(t, named(2), c.all(t), "its guard removed it")
	c.Up()
	assert.True(t, c.Up().Unchanged())
}

// TestLeftAndBack has a member leave the program, and its machine not go after
// its guard did; and the program taken back.
func TestLeftAndBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	before := c.machineID("etcd-3")
	c.World.Fail("delete", "Domain", "etcd-3", "libvirt: connection lost")
	c.change(func(o *options) { o.members = named(2) })
	assert.Contains(t, c.UpFails().Diagnostics, "libvirt: connection lost")
	assert.ElementsMatch(t, named(2), c.all(t))
	c.World.Heal("delete", "Domain", "etcd-3")
	c.change(func(o *options) { o.members = named(3) })
	c.Up()
	assert.Equal(t, before, c.machineID("etcd-3"))
	assert.Len(t, c.voters(t), 3)
	c.machines.Off("etcd-1")
	require.NoError(t, c.writable(t), "it votes")
	c.hasAll(t)
	c.machines.Mend("etcd-1")
	assert.True(t, c.Up().Unchanged())
}

// TestOnlyOneWithDataLeaves has the only member leave, and one stay that was to be
// added and never came: the cluster would be gone.
func TestOnlyOneWithDataLeaves(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.writeAll(t)
	c.machines.SickFromNow("etcd-2")
	c.change(func(o *options) { o.members, o.limit = named(2), "20s" })
	c.UpFails()
	c.change(func(o *options) { o.members = []string{"etcd-2"} })
	const refusal = "members: must keep at least one of etcd-1: etcd-2 has none of the cluster's data"
	assert.Contains(t, c.PreviewFails().Diagnostics, refusal)
	assert.Contains(t, c.UpFails("--refresh").Diagnostics, refusal)
	c.hasAll(t)
	c.machines.Sick("etcd-2", false)
	c.change(func(o *options) { o.members, o.limit = named(2), "90s" })
	c.Up()
	c.change(func(o *options) { o.members = []string{"etcd-2"} })
	c.Up()
	assert.Equal(t, []string{"etcd-2"}, c.all(t), "it has the data now")
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestFoundersLeave has a first update make nothing but gates, and then all members
// but one leave the program.
func TestFoundersLeave(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	for _, name := range named(3) {
		c.World.Fail("create", "Volume", name+".qcow2", "libvirt: connection lost")
	}
	c.UpFails()
	assert.Empty(t, c.World.Names("Domain"))
	for _, name := range named(3) {
		c.World.Heal("create", "Volume", name+".qcow2")
	}
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-3"}, "90s" })
	c.Up()
	assert.Equal(t, []string{"etcd-3"}, c.all(t))
	assert.True(t, c.Up().Unchanged())
}

// TestOnlyOneWithDataLeavesUnseen adds a member to one that is off, and then takes
// that out, which has all data: the new one would found another cluster.
func TestOnlyOneWithDataLeavesUnseen(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.writeAll(t)
	c.machines.Off("etcd-1")
	c.change(func(o *options) { o.members, o.limit = named(2), "15s" })
	c.UpFails()
	c.change(func(o *options) { o.members = []string{"etcd-2"} })
	const refused = "members: must keep at least one of etcd-1 while no member answers: it is not known whether etcd-2 has the cluster's data"
	assert.Contains(t, c.PreviewFails().Diagnostics, refused)
	assert.Contains(t, c.UpFails().Diagnostics, refused)
	c.machines.Mend("etcd-1")
	c.change(func(o *options) { o.members, o.limit = named(2), "90s" })
	c.Up("--refresh")
	c.hasAll(t)
	assert.ElementsMatch(t, named(2), c.all(t))
	assert.True(t, c.Up().Unchanged())
}
