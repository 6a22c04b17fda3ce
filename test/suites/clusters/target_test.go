package clusters

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const plan = "urn:pulumi:dev::test::quorum:index:EtcdCluster$quorum:index:EtcdHealth::main-plan"

// TestTargetWhileOneIsOut has an update with --target rebuild the machine of a
// member that does not answer: it comes first, and so in another order than last time.
func TestTargetWhileOneIsOut(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	one, two, three := c.machineID("etcd-1"), c.machineID("etcd-2"), c.machineID("etcd-3")
	c.machines.Off("etcd-3")
	c.Up("--target-replace", domain("etcd-3"), "--target-dependents", "--target", plan)
	assert.NotEqual(t, three, c.machineID("etcd-3"))
	c.machines.Off("etcd-2")
	c.Up("--target", plan) // nothing of it is targeted
	assert.Equal(t, []string{one, two}, []string{c.machineID("etcd-1"), c.machineID("etcd-2")})
	c.machines.Mend("etcd-2")
	c.Up()
	assert.Len(t, c.voters(t), 3)
	assert.True(t, c.Up().Unchanged())
}

// TestContinueOnError has the deletion of a machine fail that is to be rebuilt,
// in an update that is told to go on all the same. The engine waits for good then.
// Should it end one day, docs/clusters.md says too much.
func TestContinueOnError(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.World.Fail("delete", "Domain", "etcd-1", "libvirt: connection lost")
	c.change(func(o *options) { o.image = "debian-14.qcow2" })
	var failed time.Time
	_, hangs := c.TryUntil(10*time.Minute, func(r engine.Result) bool {
		if failed.IsZero() && strings.Contains(r.Diagnostics, "libvirt: connection lost") {
			failed = time.Now()
		}
		return !failed.IsZero() && time.Since(failed) > time.Minute
	}, engine.Running.Kill, "up", "--continue-on-error")
	assert.True(t, hangs)
	assert.Len(t, c.voters(t), 3)

	c.World.Heal("delete", "Domain", "etcd-1")
	c.Unlock()
	c.Up("--refresh")
	assert.Len(t, c.voters(t), 3)
	assert.True(t, c.Up().Unchanged())
}

// TestOneOfTwoClusters takes one of the clusters of a stack out of the program.
func TestOneOfTwoClusters(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	both := c.options
	first := both.program(c.subnet)
	both.members = []string{"other-4", "other-5", "other-6"}
	second, _, _ := strings.Cut(both.program(c.subnet), "outputs:\n")
	second = strings.Replace(strings.TrimPrefix(second, "\nresources:\n"), "  main:\n", "  other:\n", 1)
	c.Program(strings.Replace(first, "outputs:\n", second+"outputs:\n", 1))
	c.Up()
	assert.Len(t, c.World.Names("Domain"), 6)
	writer, before := c.write(t), c.voters(t)
	starts := c.machines.Starts("etcd-1")
	c.machines.Off("other-5")
	c.machines.Off("other-6")
	c.Program(first)
	gone := c.Up()
	assert.ElementsMatch(t, named(3), c.World.Names("Domain"), gone.Diagnostics)
	assert.Equal(t, before, c.voters(t))
	assert.Equal(t, starts, c.machines.Starts("etcd-1"))
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())
}

// TestTargetOfRootVolume names the root volume of a machine alone, in a program with another
// image, with --replace, and after an update that made it and came no further: the one that
// the machine runs on stays.
func TestTargetOfRootVolume(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	runsOn := c.root(t, "etcd-1")
	stays := func() { assert.Contains(t, c.World.Names("Volume"), runsOn) }
	assert.Contains(t, c.UpFails("--target-replace", "**main-etcd-1-volume**").Diagnostics, "the machine of etcd-1 cannot be deleted in this update, which leaves out main-plan")
	stays()
	c.change(func(o *options) { o.image = "debian-14.qcow2" })
	for _, targets := range [][]string{{"**main-etcd-1-volume**"}, {"**main-etcd-1-volume**", "**main-plan", "**main-without-etcd-1"}} {
		var args []string
		for _, target := range targets {
			args = append(args, "--target", target)
		}
		c.Try(time.Minute, "up", args...) // the engine refuses to delete what a machine depends on, or leaves it
		stays()
	}
	c.World.Fail("delete", "Domain", "etcd-1", "libvirt: connection lost")
	c.UpFails()
	stays()
	c.Try(time.Minute, "up", "--target", "**main-etcd-1-volume**")
	stays()
	c.World.Heal("delete", "Domain", "etcd-1")
	c.change(func(o *options) { o.image = "debian-13.qcow2" })
	assert.Empty(t, c.Up().Ops("Domain"), "a change that is taken back rebuilds nothing")
	stays()
	c.change(func(o *options) { o.image = "debian-14.qcow2" })
	c.Up()
	assert.NotContains(t, c.World.Names("Volume"), runsOn)
	assert.Len(t, c.World.Names("Volume"), 6)
	assert.True(t, c.Up().Unchanged())
}

// root is the name of the root volume of a machine.
func (c *cluster) root(t *testing.T, machine string) string {
	t.Helper()
	for _, name := range c.World.Names("Volume") {
		if strings.HasPrefix(name, machine+"-") && !strings.HasSuffix(name, "-data.qcow2") {
			return name
		}
	}
	require.Fail(t, "no root volume", machine)
	return ""
}
