package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
	assert.Contains(t, failed.Diagnostics, c.subnet+".3, which etcd-3 has")
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
	assert.Contains(t, failed.Diagnostics, c.subnet+".3, which etcd-3 has")
	assert.NotContains(t, strings.Join(c.World.Names("Domain"), " "), "other-3")
	c.change(func(o *options) { o.members = named(2) })
	c.Up()
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-2", "other-3"}, "90s" })
	c.Up()
	c.hasAll(t)
	assert.ElementsMatch(t, c.options.members, c.all(t))
	assert.True(t, c.Up().Unchanged())
}
