package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestPreviewsOnBadDays has previews of a part of a cluster, of what a part has left, and of a
// machine that is gone say nothing that is not so.
func TestPreviewsOnBadDays(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.change(func(o *options) { o.memory = 2048 })
	one := []string{"--target", "**::main-etcd-1**", "--target", "**::main-without-etcd-1", "--target", "**::main-guard-etcd-1", "--target", "**::main-plan"}
	previews.Reads(t, "etcd/target", c.subnet, c.Preview(one...))
	one = append(one, "--target", "**ClusterChange::main")
	previews.Reads(t, "etcd/target-told", c.subnet, c.Preview(one...))
	c.Up(one...)
	previews.Reads(t, "etcd/target-rest", c.subnet, c.Preview())
	c.Up()
	c.World.Remove("Domain", "etcd-2")
	previews.Reads(t, "etcd/refresh", c.subnet, c.Preview("--refresh"))
	c.World.Remove("Volume", "etcd-2-data.qcow2")
	previews.Reads(t, "etcd/refresh-data", c.subnet, c.Preview("--refresh"))
	assert.Contains(t, c.Up("--refresh").Diagnostics, "etcd-2: "+guest.Again)
	assert.True(t, c.Up().Unchanged(), "and the next update says nothing more of it")
	previews.Reads(t, "etcd/replace", c.subnet, c.Preview("--replace", domain("etcd-3")))
}
