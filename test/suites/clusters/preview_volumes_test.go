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

// TestPreviewsOfReplaced has previews say what --replace does, and what it costs.
func TestPreviewsOfReplaced(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	previews.Reads(t, "etcd/replace-data", c.subnet, c.Preview("--replace", dataVolume("etcd-2")))
	previews.Reads(t, "etcd/replace-drive", c.subnet, c.Preview("--replace", "**::main-etcd-2-cloud-init"))
	previews.Reads(t, "etcd/replace-all-of-one", c.subnet, c.Preview("--replace", "**::main-etcd-2**"))
	previews.Reads(t, "etcd/replace-authority", c.subnet, c.Preview("--replace", "**::main-ca-key"))
	was := c.options
	c.change(func(o *options) { o.memory = 2048 })
	previews.Reads(t, "etcd/replace-data-memory", c.subnet, c.Preview("--replace", dataVolume("etcd-2")))
	c.change(func(o *options) { *o = was })
	c.World.Remove("Volume", "etcd-2-data.qcow2")
	previews.Reads(t, "etcd/refresh-data-alone", c.subnet, c.Preview("--refresh"))
	previews.Reads(t, "etcd/refresh-data-replace", c.subnet, c.Preview("--refresh", "--replace", domain("etcd-2")))
}

// TestPreviewsOfReplacedData has previews of one or two members refuse to lose their data by --replace,
// and beside a volume that somebody deleted.
func TestPreviewsOfReplacedData(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(2)...)
	c.Up()
	previews.Reads(t, "etcd/replace-data-of-two", c.subnet, c.PreviewFails("--replace", dataVolume("etcd-2")))
	c.machines.RunOn("etcd-1")
	c.World.Remove("Volume", "etcd-1-data.qcow2")
	previews.Reads(t, "etcd/refresh-and-replace-data-of-two", c.subnet, c.PreviewFails("--refresh", "--replace", dataVolume("etcd-2")))
	one := newCluster(t, "etcd-1")
	one.Up()
	previews.Reads(t, "etcd/replace-data-of-one", one.subnet, one.PreviewFails("--replace", dataVolume("etcd-1")))
	one.change(extra("allowDataLoss: true"))
	previews.Reads(t, "etcd/replace-data-allowed", one.subnet, one.Preview("--replace", dataVolume("etcd-1")))
}
