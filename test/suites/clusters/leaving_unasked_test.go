package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTwoOfFiveLeaveUnasked takes as many members out as the cluster tolerates
// the loss of, without a question.
func TestTwoOfFiveLeaveUnasked(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(5)...)
	c.Up()
	c.change(func(o *options) { o.members, o.extra = named(3), "      skipHealthChecks: true\n" })
	c.Up()
	assert.ElementsMatch(t, named(3), c.World.Names("Domain"))
	c.change(func(o *options) { o.extra = "" })
	c.Up()
	assert.ElementsMatch(t, named(3), c.all(t), "those that left are out as soon as somebody is asked")
	assert.True(t, c.Up().Unchanged())
}

// TestOthersHoldTheCluster has an update destroy the machine of a member and not make it
// again, and then the others leave the program: they hold the quorum, and nobody whom the
// program has answers.
func TestOthersHoldTheCluster(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.World.Fail("create", "Domain", "etcd-1", "libvirt: connection lost")
	c.change(func(o *options) { o.rebuild("etcd-1") })
	c.UpFails()
	require.NotContains(t, c.World.Names("Domain"), "etcd-1")
	c.World.Heal("create", "Domain", "etcd-1")
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-4"}, "90s" })
	c.Up()
	c.hasAll(t)
	assert.ElementsMatch(t, []string{"etcd-1", "etcd-4"}, c.all(t))
	assert.True(t, c.Up().Unchanged())
}

// TestOthersHoldWhatOneHasLost has the data of the only member that stays be gone, while
// those that left the program hold the quorum: it must not found a second cluster.
func TestOthersHoldWhatOneHasLost(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.lose(t, "etcd-2")
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-2"}, "15s" })
	c.UpFails()
	for range 2 { // the second one finds what the first one left
		failed := c.UpFails("--refresh").Diagnostics
		assert.Contains(t, failed, "etcd-2 has lost its data, and would start a second cluster: etcd-1, etcd-3 were removed from the program, but still run the first one. "+
			"Add etcd-1 or etcd-3 to members again and run `pulumi up --refresh`")
	}
	assert.NotContains(t, c.World.Names("Domain"), "etcd-2")
	c.change(func(o *options) { o.members, o.limit = named(2), "90s" })
	c.Up("--refresh")
	c.hasAll(t)
	c.change(func(o *options) { o.members = []string{"etcd-2"} })
	c.Up()
	c.hasAll(t)
	assert.Equal(t, []string{"etcd-2"}, c.all(t))
	assert.True(t, c.Up().Unchanged())
}

// TestOneOfTwoLeavesUnasked has one of two leave the program while no member can be reached:
// the other's machine stays as it is, since the first one may have a vote.
func TestOneOfTwoLeavesUnasked(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*testing.T, *cluster){
		"no gate has seen the cluster": func(*testing.T, *cluster) {},
		"it was to leave before": func(_ *testing.T, c *cluster) {
			c.World.Fail("update", "Domain", "etcd-1", "libvirt: connection lost")
			c.change(func(o *options) { o.members, o.extra = named(1), setting })
			c.UpFails()
			c.World.Heal("update", "Domain", "etcd-1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, named(2)...)
			c.Up()
			c.writeAll(t)
			c.change(func(o *options) { o.limit = "15s" })
			c.Up() // a guard has the limit of the update before
			machine := c.machineID("etcd-1")
			before(t, c)
			for _, name := range named(2) {
				c.machines.Off(name)
			}
			c.change(func(o *options) { o.members, o.memory = named(1), 2048 })
			for range 3 {
				assert.Contains(t, c.UpFails().Diagnostics, "Removed members at "+c.subnet+".2:2379 may still be voting members of the cluster")
				assert.Equal(t, machine, c.machineID("etcd-1"))
			}
			for _, name := range named(2) {
				c.machines.Mend(name)
			}
			c.change(func(o *options) { o.limit = "90s" })
			c.Up()
			c.hasAll(t)
			assert.Equal(t, named(1), c.all(t))
			assert.True(t, c.Up().Unchanged())
			c.machines.Off("etcd-1")
			c.change(func(o *options) { o.memory = 4096 })
			c.Up() // nobody else has a vote
			c.hasAll(t)
		})
	}
}
