package clusters

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// Releases that tools/etcd builds: that of Debian 13, one of 3.5 that mends what
// that leaves behind, and one of 3.6.
const (
	debian13 = "3.5.16"
	mending  = "3.5.32"
	next     = "3.6.11"
)

// releases has the machines of a cluster run these.
func (c *cluster) releases(t *testing.T, distribution string) {
	t.Helper()
	dir, err := engine.EtcdReleases()
	require.NoError(t, err, "run tools/build etcd")
	c.machines.Releases(dir, distribution)
}

// version gives etcd's version in the program.
func (c *cluster) version(version string) {
	c.change(func(o *options) { o.extra = fmt.Sprintf("      etcd: {version: %s}\n", version) })
}

// grown is a cluster of three on Debian 13, two of which were learners.
func grown(t *testing.T) *cluster {
	t.Helper()
	c := newCluster(t, "etcd-1")
	c.releases(t, debian13)
	c.Up()
	c.change(func(o *options) { o.members = []string{"etcd-1", "etcd-2", "etcd-3"} })
	c.Up()
	assert.Len(t, c.voters(t), 3)
	return c
}

// TestFromDebian13To36 takes a cluster with members that were learners from
// Debian 13's etcd 3.5.16 to 3.6, while a client writes.
func TestFromDebian13To36(t *testing.T) {
	t.Parallel()
	c := grown(t)
	writer, before := c.write(t), c.voters(t)

	c.version(next)
	const refusal = "runs etcd 3.5.16, and the version in the program must be 3.5.26 or a later 3.5 first, on all members, and 3.6.11 after that"
	assert.Contains(t, c.PreviewFails().Diagnostics, refusal)
	failed := c.UpFails()
	assert.Contains(t, failed.Diagnostics, refusal)
	assert.NotContains(t, order(failed), "update Domain etcd-1-domain")

	c.version(mending)
	c.Up()
	c.version(next)
	c.Up()
	assert.Equal(t, before, c.voters(t), "all vote, as who they were")
	assert.Equal(t, []string{next, next, next}, c.running(t))
	c.change(func(o *options) { o.members = append(o.members, "etcd-4", "etcd-5") })
	c.Up()
	assert.Len(t, c.voters(t), 5, "it grows")
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())

	c.version(debian13)
	assert.Contains(t, c.PreviewFails().Diagnostics, "must be 3.5.26 or a later 3.5: from earlier ones there is no way to 3.6 again")
}

// TestBackFrom36 takes a cluster back to 3.5 while a client writes, changes its mind half-way, and ends there.
func TestBackFrom36(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.releases(t, debian13)
	c.version(next)
	c.Up()
	writer := c.write(t)
	c.version(mending)
	assert.Contains(t, c.Preview().Diagnostics, "etcd goes back from 3.6.11 to 3.5.32: first the whole cluster makes its data such")
	c.machines.Off("etcd-2") // that would change first
	assert.Contains(t, c.UpFails().Diagnostics, "etcd-2: does not answer, and its data must be such that 3.5.32 can read them")
	c.machines.Mend("etcd-2")
	assert.False(t, c.goesBack(t), "nothing is left of it")
	c.change(func(o *options) { o.members = append(o.members, "etcd-4", "etcd-5") })
	assert.Contains(t, c.PreviewFails().Diagnostics, "etcd-4 is no member yet, and etcd takes none in on its way back from 3.6.11 to 3.5.32")
	c.version(next)
	_, err := c.client(t).Downgrade(t.Context(), clientv3.DowngradeEnable, "3.5.0") // as an update that was killed leaves it
	require.NoError(t, err)
	c.Up()
	assert.Len(t, c.voters(t), 5)
	assert.False(t, c.goesBack(t))
	c.change(func(o *options) { o.members = o.members[:3] })
	c.Up()
	c.version(mending)
	c.UpKilled(func(engine.Result) bool { return slices.Contains(c.running(t), mending) })
	c.Unlock()
	c.version(next)
	c.Up()
	assert.Equal(t, []string{next, next, next}, c.running(t))
	assert.False(t, c.goesBack(t), "it is taken back")

	c.version(mending)
	up := c.Up()
	assert.Contains(t, up.Diagnostics, "etcd makes its data such that 3.5.32 can read them")
	assert.Equal(t, []string{mending, mending, mending}, c.running(t))
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())
	c.version(next)
	c.Up()
	assert.Equal(t, []string{next, next, next}, c.running(t))
	assert.True(t, c.Up().Unchanged())
	c.change(func(o *options) { o.extra = "" })
	assert.Contains(t, c.Preview().Diagnostics, "members run etcd 3.6.11, and etcd.version is not given any more")
}

// TestStraightTo36 goes past the gates: no member starts any more, and all do
// again with the release that should have come first. The data are there.
func TestStraightTo36(t *testing.T) {
	t.Parallel()
	c := grown(t)
	writer := c.write(t)
	time.Sleep(time.Second)
	writer.stop(t)
	past := func(version string) {
		c.change(func(o *options) {
			o.extra = fmt.Sprintf("      etcd: {version: %s}\n      skipHealthChecks: true\n", version)
		})
		c.Up()
	}
	past(next)
	for _, member := range c.options.members {
		assert.Eventually(t, func() bool { return strings.Contains(c.machines.Said(member), "too many learner members in cluster") }, time.Minute, time.Second, member)
	}
	c.change(func(o *options) { o.extra, o.limit = strings.Replace(o.extra, "skip", "#skip", 1), "20s" })
	c.UpFails()

	past(mending)
	c.change(func(o *options) { o.limit = "90s" })
	c.version(mending)
	c.Up()
	c.version(next)
	c.Up()
	assert.Equal(t, []string{next, next, next}, c.running(t))
	writer.stop(t)
}

// TestReleaseOfAnImage adds a member whose image has another release than the
// cluster can take, which never votes; and warns where an image may bring one.
func TestReleaseOfAnImage(t *testing.T) {
	t.Parallel()
	c := grown(t)
	before := c.voters(t)
	c.machines.Distribution(next)
	c.change(func(o *options) { o.members, o.limit = append(o.members, "etcd-4"), "60s" })
	failed := c.UpFails()
	t.Log(failed.Diagnostics)
	assert.Equal(t, before, c.voters(t))

	c.change(func(o *options) { o.image, o.members = "debian-14.qcow2", o.members[:3] })
	assert.Contains(t, c.Preview().Diagnostics, "members run etcd 3.5.16, and etcd.version is not given: if the image or the artifact has 3.6, they may not start")
}

// goesBack reports whether the cluster is on its way back to an earlier minor version.
func (c *cluster) goesBack(t *testing.T) bool {
	t.Helper()
	client := c.client(t)
	status, err := client.Status(t.Context(), client.Endpoints()[0])
	require.NoError(t, err)
	return status.DowngradeInfo.GetEnabled()
}

// running are the releases that the members run.
func (c *cluster) running(t *testing.T) (all []string) {
	t.Helper()
	client := c.client(t)
	for _, endpoint := range client.Endpoints() {
		status, err := client.Status(t.Context(), endpoint)
		require.NoError(t, err)
		all = append(all, status.Version)
	}
	return all
}
