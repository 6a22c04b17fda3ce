package clusters

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestDefragmentKilled has the update die between two members; the next one
// goes on with those that are left.
func TestDefragmentKilled(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.settings(256*mib, "")
	c.Up()
	client := c.client(t)
	for i := range 300 {
		_, err := client.Put(t.Context(), fmt.Sprintf("/fill/%d", i), strings.Repeat("y", 200_000))
		require.NoError(t, err)
	}
	c.empty(t, client)
	writer := c.write(t)
	c.settings(256*mib, "      defragment: once\n")
	small := func() (n int) {
		for _, size := range sizes(t.Context(), client) {
			if size > 0 && size < 20*mib {
				n++
			}
		}
		return n
	}
	c.UpKilled(func(engine.Result) bool { return small() > 0 })
	t.Logf("%d of 3 are defragmented", small())
	c.Unlock()
	again := c.Up()
	assert.Equal(t, 3, small())
	t.Log(again.Diagnostics)
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())
}

// TestDefragmentLeaderLast has each member be defragmented once, the leader
// last and no leader any more, and nothing a second time.
func TestDefragmentLeaderLast(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	client := c.client(t)
	for i := range 20 {
		_, err := client.Put(t.Context(), fmt.Sprintf("/fill/%d", i), strings.Repeat("y", 200_000))
		require.NoError(t, err)
	}
	c.empty(t, client)
	leads := func() uint64 {
		s, err := client.Status(t.Context(), client.Endpoints()[0])
		require.NoError(t, err)
		return s.Leader
	}
	leader, name := leads(), ""
	for member, id := range c.voters(t) {
		if id == leader {
			name = member
		}
	}
	c.change(func(o *options) { o.extra = "      defragment: a\n" })
	up := c.Up()
	assert.Equal(t, 3, strings.Count(up.Diagnostics, " is defragmented: "), up.Diagnostics)
	assert.Greater(t, strings.Index(up.Diagnostics, name+" is defragmented"), strings.Index(up.Diagnostics, "is defragmented"), "not the first")
	assert.NotEqual(t, leader, leads(), "it has handed over the leadership")

	c.change(func(o *options) { o.extra = "      defragment: b\n" })
	assert.NotContains(t, c.Up().Diagnostics, "is defragmented", "there is nothing to give back")
}

// TestDefragmentByPassword has root log in, where it has no certificate.
func TestDefragmentByPassword(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.releases(t, debian13)
	const password = "      etcd: {clientCertAuth: false, spaceQuota: 16777216}\n      rootPassword: {fn::secret: root-of-it}\n"
	c.change(func(o *options) { o.extra = password })
	c.Up()
	root, secret := "root", "root-of-it"
	client, err := admin.Dial(t.Context(), host.EtcdConnection{Endpoints: []string{c.subnet + ".1:2379"}, CACert: c.Output("caCert"), Username: &root, Password: &secret})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	c.fill(t, client, 16*mib)
	c.empty(t, client)
	c.change(func(o *options) { o.extra += "      defragment: a\n" })
	up := c.Up()
	assert.Contains(t, up.Diagnostics, "etcd-1 is defragmented: ")
	assert.NotContains(t, up.Diagnostics, secret)
	c.writes(t, client)
}

// TestDefragmentWaits leaves all databases alone while a member hangs.
func TestDefragmentWaits(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	client := c.client(t)
	for i := range 10 {
		_, err := client.Put(t.Context(), fmt.Sprintf("/fill/%d", i), strings.Repeat("y", 200_000))
		require.NoError(t, err)
	}
	c.machines.Freeze("etcd-3")
	c.change(func(o *options) { o.extra, o.limit = "      defragment: a\n", "15s" })
	failed := c.UpFails()
	assert.Contains(t, failed.Diagnostics, "the cluster needs 3 healthy members, and has 2\netcd-3 does not answer")
	assert.NotContains(t, failed.Diagnostics, "is defragmented")

	c.machines.Mend("etcd-3")
	c.change(func(o *options) { o.limit = "90s" })
	assert.Equal(t, 3, strings.Count(c.Up().Diagnostics, " is defragmented: "))
}
