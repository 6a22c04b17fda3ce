package clusters

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLosesNoData refuses what would cost a small cluster its data.
func TestLosesNoData(t *testing.T) {
	t.Parallel()
	moves := func(o *options) { o.of = map[string]string{"etcd-1": "            uri: qemu+ssh://b/system\n"} }
	c := newCluster(t, named(2)...)
	c.Up()
	c.change(moves)
	assert.Contains(t, c.PreviewFails().Diagnostics, "this change deletes the data of etcd-1 (the data volume etcd-1-data.qcow2 in the pool default): a cluster of two members has no quorum without both")

	one := newCluster(t, "etcd-1")
	one.Up()
	_, err := one.client(t).Put(t.Context(), "/precious", "data")
	require.NoError(t, err)
	one.change(func(o *options) { o.memory = 2048 })
	one.Up()
	one.change(moves)
	assert.Contains(t, one.PreviewFails().Diagnostics, "this change deletes the data of etcd-1, the only member")
	one.change(func(o *options) { o.extra = "      allowDataLoss: true\n" })
	one.Up()
	assert.True(t, one.Up().Unchanged())
	found, err := one.client(t).Get(t.Context(), "/precious")
	require.NoError(t, err)
	assert.Empty(t, found.Kvs)
}

// TestEmptyClusterIsAnother has the only member lose its data behind Pulumi's back.
func TestEmptyClusterIsAnother(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	client := c.client(t)
	for i := range 20 {
		_, err := client.Put(t.Context(), "/precious", fmt.Sprint(i))
		require.NoError(t, err)
	}
	c.change(func(o *options) { o.memory = 2048 })
	c.Up() // the gates have seen the revision
	c.World.Remove("Domain", "etcd-1")
	c.World.Remove("Volume", "etcd-1-data.qcow2")
	c.change(func(o *options) { o.limit = "30s" })
	assert.Contains(t, c.UpFails("--refresh").Diagnostics, "this cluster has lost data: it is at revision")
}

// TestJoinsWhenTheQuorumReturns adds a member while the quorum is away for a while.
func TestJoinsWhenTheQuorumReturns(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.change(func(o *options) { o.members = append(o.members, "etcd-4") })
	c.World.Fail("create", "Domain", "etcd-4", "no memory left on the host")
	c.UpFails()
	c.World.Heal("create", "Domain", "etcd-4")
	c.machines.Off("etcd-2")
	c.machines.Off("etcd-3")
	made := make(chan struct{})
	go func() {
		defer close(made)
		for c.machineID("etcd-4") == "" {
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		c.machines.Mend("etcd-2")
		c.machines.Mend("etcd-3")
	}()
	c.Up()
	<-made
	assert.Len(t, c.voters(t), 4)
	assert.True(t, c.Up().Unchanged())
}

// TestTwoOfFiveLoseTheirData has two machines go with their data, and all members come back,
// whichever of the two the cluster lists first.
func TestTwoOfFiveLoseTheirData(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(5)...)
	c.Up()
	c.writeAll(t)
	ids := c.voters(t)
	one := slices.IndexFunc(named(4), func(name string) bool { return ids[name] > ids["etcd-5"] })
	if one < 0 {
		one = 0
	}
	for _, name := range []string{named(4)[one], "etcd-5"} {
		c.World.RemoveAll(name)
	}
	c.Up("--refresh")
	assert.Len(t, c.voters(t), 5)
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}
