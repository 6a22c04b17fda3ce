package clusters

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTwoOfThreeMove has all members but one get other addresses in an update, as
// docs/clusters.md says that they may.
func TestTwoOfThreeMove(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	before := c.voters(t)
	c.writeAll(t)
	c.change(func(o *options) { o.at = map[string]string{"etcd-1": "11", "etcd-2": "12"} })
	c.Up()
	assert.Equal(t, before, c.voters(t))
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestAddressOfOneThatWasToGo is refused: it gives a new member the address of one that left the
// program in an update that failed before its machine went.
func TestAddressOfOneThatWasToGo(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.World.Fail("create", "Domain", "etcd-4", "no memory left on the host")
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-2", "etcd-4"}, "40s" })
	c.UpFails()
	c.World.Heal("create", "Domain", "etcd-4")
	c.change(func(o *options) { o.members, o.at = []string{"etcd-1", "etcd-2", "other-3"}, nil })
	failed := c.UpFails()
	assert.Contains(t, failed.Diagnostics, c.subnet+".3, the address of etcd-3")
	assert.NotContains(t, strings.Join(c.World.Names("Domain"), " "), "other-3")
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-2", "etcd-4"}, "90s" })
	c.Up()
	assert.ElementsMatch(t, c.options.members, c.all(t))
	assert.True(t, c.Up().Unchanged())
}

// TestAddressOfOneStillThere gives a new member the address of one that left the
// program, and whose machine could not be deleted.
func TestAddressOfOneStillThere(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.World.Fail("delete", "Domain", "etcd-3", "libvirt: connection lost")
	c.change(func(o *options) { o.members, o.limit = named(2), "40s" })
	c.UpFails()
	c.World.Heal("delete", "Domain", "etcd-3")
	c.change(func(o *options) { o.members = []string{"etcd-1", "etcd-2", "other-3"} })
	failed := c.UpFails()
	assert.Contains(t, failed.Diagnostics, c.subnet+".3, the address of etcd-3")
	assert.NotContains(t, strings.Join(c.World.Names("Domain"), " "), "other-3")
	c.change(func(o *options) { o.members = named(2) })
	c.Up()
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-2", "other-3"}, "90s" })
	c.Up()
	c.hasAll(t)
	assert.ElementsMatch(t, c.options.members, c.all(t))
	assert.True(t, c.Up().Unchanged())
}

// TestTwoMoveThatWereAway has two members of three move without their data that did
// not answer when the update began, and do soon after: one is to be a member again
// before the other one's machine goes.
func TestTwoMoveThatWereAway(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	for _, name := range named(2) {
		c.machines.Freeze(name)
	}
	time.AfterFunc(8*time.Second, func() {
		for _, name := range named(2) {
			c.machines.Mend(name)
		}
	})
	c.change(func(o *options) {
		o.of = map[string]string{"etcd-1": "            uri: qemu+ssh://b/system\n", "etcd-2": "            uri: qemu+ssh://c/system\n"}
	})
	c.Up()
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestGoneWhileAnotherWasToGo has a machine be gone with its data after an update that
// could not delete another one, whose guard waits to be deleted again.
func TestGoneWhileAnotherWasToGo(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.change(func(o *options) { o.limit = "30s" })
	c.Up() // a guard has the limit of the update before
	c.World.Fail("delete", "Domain", "etcd-2", "libvirt: connection lost")
	c.change(func(o *options) { o.rebuild("etcd-2") })
	c.UpFails()
	c.World.Heal("delete", "Domain", "etcd-2")
	for _, o := range c.World.Objects() {
		if o.Name == "etcd-1" || strings.HasPrefix(o.Name, "default/etcd-1") {
			require.NoError(t, c.World.Take(o))
		}
	}
	assert.Contains(t, c.UpFails().Diagnostics, "the cluster needs 2 healthy members besides etcd-2, and has 1")
	c.change(func(o *options) { o.limit = "90s" })
	c.Up("--refresh")
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}
