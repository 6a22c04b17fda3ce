//go:build e2e

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// changes are what a cluster goes through while a client writes to it. They
// need those before them.
var changes = []struct {
	name string
	run  func(*testing.T, *changing)
}{
	{"setting", testSetting},
	{"image", testImage},
	{"scale", testScale},
	{"destroyed", testDestroyedMember},
	{"killed", testKilledUp},
	{"sick", testSickMember},
}

// TestEtcdChange changes an EtcdCluster, and no write that etcd acknowledged is lost.
func TestEtcdChange(t *testing.T) {
	c := newChanging(t)
	for _, change := range changes {
		if !t.Run(change.name, func(t *testing.T) { c.whileWriting(t, func() { change.run(t, c) }) }) {
			return
		}
	}
	assert.Equal(t, c.written, c.count(t, "numbers/"), "all that was ever acknowledged is there")
	c.Destroy()
	for _, name := range c.shape.members {
		assert.NotContains(t, machines(t), name)
	}
}

// testSetting has etcd restart for a setting, on one machine after the other.
func testSetting(t *testing.T, c *changing) {
	machines := c.machineIDs()
	begun := time.Time{}
	c.change(func(s *shape) { s.etcd = "{heartbeatInterval: 150}" })
	c.Up()
	assert.Equal(t, machines, c.machineIDs(), "no machine is rebuilt")
	for _, name := range c.shape.members {
		stopped, serves := etcdTime(t, name, "ActiveExitTimestamp"), etcdTime(t, name, "ActiveEnterTimestamp")
		assert.Greater(t, stopped, begun, "%s restarts after the one before it serves", name)
		assert.Greater(t, serves, stopped, name)
		begun = serves
	}
	assert.Empty(t, c.Up().Ops(""))
}

// testImage has all machines rebuilt, with the data that the old ones had.
func testImage(t *testing.T, c *changing) {
	c.lead(t, "etcd-1")
	members, before := c.voters(t), c.machineIDs()
	c.change(func(s *shape) { s.image = "second" })
	up := c.Up()
	assert.Contains(t, up.Stdout, "etcd-1: hands over the leadership")
	assert.Equal(t, members, c.voters(t), "they are who they were: their data outlived the machines")
	for name, id := range c.machineIDs() {
		assert.NotEqual(t, before[name], id, name)
	}
	assert.Empty(t, c.Up().Ops(""))
}

// testScale adds two members and removes them again; the others do not notice.
func testScale(t *testing.T, c *changing) {
	members, machineIDs, processes := c.voters(t), c.machineIDs(), c.processes(t)
	three := c.shape.members
	five := append(three[:3:3], "etcd-4", "etcd-5")
	c.change(func(s *shape) { s.members = five })
	c.Up()
	assert.Len(t, c.voters(t), 5)
	assert.Subset(t, machines(t), five)
	assert.Subset(t, c.machineIDs(), machineIDs)

	c.change(func(s *shape) { s.members = three })
	c.Up()
	assert.Equal(t, members, c.voters(t))
	assert.NotContains(t, machines(t), "etcd-4")
	assert.NotContains(t, machines(t), "etcd-5")
	assert.Equal(t, machineIDs, c.machineIDs())
	assert.Equal(t, processes, c.processes(t), "etcd was not restarted")
}

// testDestroyedMember brings the leader back, whose machine and data are gone.
func testDestroyedMember(t *testing.T, c *changing) {
	c.lead(t, "etcd-2")
	before := c.voters(t)
	require.NoError(t, hardware.lose(c.Stack, "etcd-2"))
	up := c.Up("--refresh")
	assert.Contains(t, up.Stdout, "the data of etcd-2 are gone, it has to be added again: etcd-2 is removed")
	assert.Contains(t, up.Stdout, "it is a learner and receives the data")
	after := c.voters(t)
	assert.NotEqual(t, before["etcd-2"], after["etcd-2"], "it is a new member")
	assert.Equal(t, before["etcd-1"], after["etcd-1"])
	assert.Equal(t, before["etcd-3"], after["etcd-3"])
	assert.Empty(t, c.Up("--refresh").Ops(""))
}

// testKilledUp kills an update while it waits for the second of three machines.
func testKilledUp(t *testing.T, c *changing) {
	members, before := c.voters(t), c.machineIDs()
	c.change(func(s *shape) { s.image = "third" })
	c.UpKilled(func(r engine.Result) bool {
		_, waits := r.Step("update", "EtcdMember", "main-etcd-2")
		return waits
	})
	c.Unlock()
	up := c.Up()
	assert.Equal(t, []string{"replace main-etcd-3-domain"}, replaced(up), "the first two are done")
	assert.Equal(t, members, c.voters(t))
	for name, id := range c.machineIDs() {
		assert.NotEqual(t, before[name], id, name)
	}
	assert.Empty(t, c.Up().Ops(""))
}

// testSickMember gives a machine a network in which it reaches nobody.
func testSickMember(t *testing.T, c *changing) {
	members, before := c.voters(t), c.machineIDs()
	c.change(func(s *shape) { s.image, s.sick, s.patience = "fourth", "etcd-1", "40s" })
	up := c.UpFails()
	assert.Equal(t, []string{"replace main-etcd-1-domain"}, replaced(up), "those after it are left alone")
	assert.Regexp(t, `etcd-1: timed out after .*`, up.Diagnostics)
	assert.Contains(t, up.Diagnostics, "journalctl -u etcd -u quorum-apply` on 10.77.0.11")

	c.change(func(s *shape) { s.sick, s.patience = "", "" })
	repair := c.Up()
	assert.Equal(t, []string{"replace main-etcd-1-domain", "replace main-etcd-2-domain", "replace main-etcd-3-domain"}, replaced(repair))
	assert.Equal(t, members, c.voters(t))
	for name, id := range c.machineIDs() {
		assert.NotEqual(t, before[name], id, name)
	}
	require.Empty(t, c.Up().Ops(""))
}
