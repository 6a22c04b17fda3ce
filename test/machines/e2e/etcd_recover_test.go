//go:build e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEtcdMajorityLost has two of three machines go with their disks while a
// client writes, and the cluster be re-created from the third.
func TestEtcdMajorityLost(t *testing.T) {
	c := newChanging(t)
	before, stop := c.voters(t), startWriter(t, c.writer, c.outputs, "numbers/")
	c.writesAnother(t, "numbers/")
	for _, name := range []string{"etcd-1", "etcd-3"} {
		require.NoError(t, hardware.lose(c.Stack, name))
	}
	lost := c.UpFails("--refresh")
	assert.Regexp(t, `etcd-1 has no data\netcd-2 has data, of revision [1-9][0-9]*\netcd-3 has no data\nThe quorum cannot come back by itself`, lost.Diagnostics)
	assert.Subset(t, machines(t), c.shape.members, "all machines are made again")

	c.change(func(s *shape) { s.recoverFrom = "etcd-2" })
	c.Up()
	after := c.voters(t)
	assert.Len(t, after, 3)
	assert.Equal(t, before["etcd-2"], after["etcd-2"])
	assert.NotEqual(t, before["etcd-1"], after["etcd-1"])
	c.writesAnother(t, "numbers/")
	assert.Positive(t, stop().Acknowledged)
	assert.Contains(t, on(t, "etcd-2", "journalctl", "--no-pager", "--unit=etcd"), "done; the other members are to join again")
	assert.Empty(t, c.Up("--refresh").Ops(""))
	if _, isVirtual := hardware.(*virtual); isVirtual {
		testStarted(t, c)
	}
	c.change(func(s *shape) { s.recoverFrom = "" })
	c.Up()
	assert.Equal(t, after, c.voters(t))
	assert.Empty(t, c.Up("--refresh").Ops(""))
	c.Destroy()
}

// testStarted has an update start a machine that is off, and end when its
// member is healthy.
func testStarted(t *testing.T, c *changing) {
	t.Helper()
	machine(t, "off", "etcd-3")
	up := c.Up("--refresh")
	assert.Contains(t, up.Ops("EtcdMember"), "update main-etcd-3")
	c.client(t, "10.77.0.13:2379").run(t, "endpoint", "health")
	again := c.Up("--refresh")
	assert.True(t, again.Unchanged(), again.Stdout)
}
