package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestPreviewsOfGrowth has data volumes grow in an update of their own, one by --target, and beside a
// machine that restarts: what has grown is told no more.
func TestPreviewsOfGrowth(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.change(func(o *options) { o.data, o.of = "21474836480", map[string]string{"etcd-2": "            vcpus: 3\n"} })
	previews.Reads(t, "etcd/grown-and-one-restarts", c.subnet, c.Preview())
	c.change(func(o *options) { o.of = nil })
	c.Up("--target", dataVolume("etcd-1"))
	previews.Reads(t, "etcd/grown-target-rest", c.subnet, c.Preview())
	c.World.Forget()
	up := c.Up()
	assert.Contains(t, up.Diagnostics, "  one after the other:\n    etcd-2, etcd-3: live: the data volume grows, and the file system on it")
	assert.Empty(t, c.World.Log("Domain"))
	assert.True(t, c.Up().Unchanged())
	c.change(func(o *options) { o.data = "32212254720" })
	c.Up("--target", "**MachineChange::main-etcd-3") // which tells what does not happen yet
	previews.Reads(t, "etcd/grown-told-before", c.subnet, c.Preview())
}
