package clusters

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestMajorityLost has two of three members go with their data. An update says
// what is left, and one re-creates the cluster from that.
func TestMajorityLost(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.change(func(o *options) { o.limit = "5m" })
	c.Up()
	before := c.voters(t)
	c.writeAll(t)
	c.lose(t, "etcd-1", "etcd-3")

	begun := time.Now()
	failed := c.UpFails("--refresh")
	assert.Contains(t, failed.Diagnostics, "the cluster has no quorum: 2 of 3 voting members are needed")
	assert.Regexp(t, `etcd-1 has no data\netcd-2 has data, of revision [1-9][0-9]*\netcd-3 has no data`, failed.Diagnostics)
	assert.Contains(t, failed.Diagnostics, "The quorum cannot come back by itself: the data of etcd-1, etcd-3 are gone. `recoverFrom: etcd-2` of the EtcdCluster")
	assert.Less(t, time.Since(begun), 3*time.Minute)
	assert.ElementsMatch(t, []string{"etcd-1", "etcd-2", "etcd-3"}, c.World.Names("Domain"), "all machines are made again")

	c.recoverFrom("etcd-1")
	assert.Contains(t, c.UpFails().Diagnostics, "recoverFrom: etcd-1 has no data")
	c.recoverFrom("etcd-2")
	c.Up()
	after := c.voters(t)
	assert.Len(t, after, 3)
	assert.Equal(t, before["etcd-2"], after["etcd-2"])
	assert.NotEqual(t, before["etcd-1"], after["etcd-1"])
	c.hasAll(t)
	starts := c.machines.Starts("etcd-2")
	assert.True(t, c.Up().Unchanged())
	assert.True(t, c.Refresh().Unchanged())
	assert.Equal(t, starts, c.machines.Starts("etcd-2"), "once is enough")

	c.lose(t, "etcd-2") // the member that it is still recovered from, in the program
	c.Up("--refresh")
	assert.Len(t, c.voters(t), 3)
	c.hasAll(t)

	c.recoverFrom("")
	c.Up()
	assert.True(t, c.Up().Unchanged())
	c.lose(t, "etcd-1", "etcd-3") // months later
	c.UpFails("--refresh")
	c.recoverFrom("etcd-2")
	c.Up()
	assert.Len(t, c.voters(t), 3)
	again := c.Up()
	assert.True(t, again.Unchanged(), again.Stdout)
}

// TestMajorityLostAtOnce has the program name the survivor before any machine
// is made again, and another change in the same update, which stops there.
func TestMajorityLostAtOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.change(func(o *options) { o.limit = "5m" })
	c.Up()
	c.writeAll(t)
	c.lose(t, "etcd-1", "etcd-2")
	c.recoverFrom("etcd-3")
	c.change(func(o *options) { o.memory = 2048 })
	preview := c.Preview("--refresh")
	assert.Contains(t, preview.Diagnostics, "this update re-creates the cluster from the data of etcd-3")
	three := c.machineID("etcd-3")
	c.change(func(o *options) { o.limit = "2m" })
	c.UpFails("--refresh")
	assert.Equal(t, three, c.machineID("etcd-3"), "it must not be rebuilt")
	c.change(func(o *options) { o.memory, o.limit = 1024, "5m" })
	c.Up()
	assert.Len(t, c.voters(t), 3)
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
	c.change(func(o *options) { o.memory = 2048 })
	c.Up()
	c.hasAll(t)
}

// TestPowerCut has all machines stop and two of them lose their data: the one
// that is left starts again, and serves nobody before there is a leader.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.change(func(o *options) { o.limit = "5m" })
	c.Up()
	c.writeAll(t)
	for _, name := range c.options.members {
		c.World.PowerOff(name)
	}
	c.silent(t, c.options.members...)
	c.lose(t, "etcd-1", "etcd-2")
	failed := c.UpFails("--refresh")
	assert.Contains(t, failed.Diagnostics, "etcd-3 has data, and reports their revision only once it sees a leader")
	assert.Contains(t, failed.Diagnostics, "The quorum cannot come back by itself")
	c.recoverFrom("etcd-3")
	c.Up()
	assert.Len(t, c.voters(t), 3)
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestTwoOfFiveLeft has both members that are left keep their data: the one
// that is not named puts its own aside, and joins again.
func TestTwoOfFiveLeft(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3", "etcd-4", "etcd-5")
	c.change(func(o *options) { o.limit = "5m" })
	c.Up()
	before := c.voters(t)
	c.writeAll(t)
	c.lose(t, "etcd-1", "etcd-3", "etcd-5")
	c.recoverFrom("etcd-2")
	c.Up("--refresh")
	after := c.voters(t)
	assert.Len(t, after, 5)
	assert.NotEqual(t, before["etcd-4"], after["etcd-4"], "it is another member")
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestStartsMachines has machines be off that an update starts: it ends when
// their members are healthy.
func TestStartsMachines(t *testing.T) {
	t.Parallel()
	for name, off := range map[string][]string{"one": {"etcd-2"}, "two": {"etcd-1", "etcd-3"}, "all": {"etcd-1", "etcd-2", "etcd-3"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
			c.change(func(o *options) { o.limit = "5m" })
			c.Up()
			for _, name := range off {
				c.World.PowerOff(name)
				c.machines.SickFromNow(name)
				c.machines.Sick(name, true) // it takes its time to boot
			}
			c.silent(t, off...)
			time.AfterFunc(30*time.Second, func() {
				for _, name := range off {
					c.machines.Sick(name, false)
				}
			})
			up := c.Up("--refresh")
			for _, name := range off {
				assert.Contains(t, order(up), "update EtcdMember "+name)
				assert.Contains(t, c.machines.Statuses(), name, "it serves")
			}
			assert.True(t, c.Up("--refresh").Unchanged())
		})
	}
}
