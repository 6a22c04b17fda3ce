package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestPreviewOfTheRest has an update fail at the second of three machines: the next preview says
// the setting again, and of the machines those that are left. When all is done nothing is said.
func TestPreviewOfTheRest(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.change(func(o *options) { o.memory = 2048 })
	c.World.Fail("delete", "Domain", "etcd-2", "libvirt: connection lost")
	assert.Contains(t, c.UpFails().Diagnostics, "libvirt: connection lost")
	previews.Reads(t, "etcd/rest", c.subnet, c.Preview("--diff"))
	c.World.Heal("delete", "Domain", "etcd-2")
	c.Up()
	preview := c.Preview("--diff")
	assert.True(t, preview.Unchanged())
	assert.Empty(t, preview.Diagnostics)
}
