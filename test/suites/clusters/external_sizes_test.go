package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/numbers"
)

// take has the program make the machine of a member, in the place of one that others made and that is shut down when the
// update asks for it.
func (c *cluster) take(t *testing.T, o *others, name string) {
	t.Helper()
	c.ours(name)
	assert.Contains(t, c.UpFails().Diagnostics, name+": a machine that was not made here answers at "+o.ip(name)+". It no longer leads")
	o.stop(name)
	c.Up()
}

// clusterOf is the id of a cluster that others founded.
func (o *others) clusterOf(t *testing.T) uint64 {
	t.Helper()
	list, err := o.client().MemberList(t.Context())
	require.NoError(t, err)
	return list.Header.ClusterId
}

// ends has the program take nothing over any more, of a cluster that is the one of before.
func (c *cluster) ends(t *testing.T, was uint64, members int) {
	t.Helper()
	after, err := c.client(t).MemberList(t.Context())
	require.NoError(t, err)
	assert.Equal(t, was, after.Header.ClusterId)
	assert.Len(t, c.voters(t), members)
	assert.Equal(t, members, c.domains())
	assert.True(t, c.Up().Unchanged())
}

// TestTakesOverOne has a cluster of one member: it stays until there are three.
func TestTakesOverOne(t *testing.T) {
	t.Parallel()
	c, o := amongOthers(t, false, "etcd-1")
	o.authenticate()
	id := o.clusterOf(t)
	c.Up()
	writer := write(t, numbers.InEtcd(t, o.root, c.published))
	c.ours("etcd-1")
	const alone = "etcd-1 must stay external while the cluster has fewer than three members"
	assert.Contains(t, c.PreviewFails().Diagnostics, alone)
	assert.Contains(t, c.UpFails().Diagnostics, alone)
	c.change(func(p *options) { p.members = named(2) })
	assert.Contains(t, c.UpFails().Diagnostics, alone)
	assert.Zero(t, c.domains())

	c.change(func(p *options) { p.members, p.external = named(3), []string{"etcd-1"} })
	c.Up()
	c.take(t, o, "etcd-1")
	writer.stop(t)
	c.ends(t, id, 3)
}

// TestTakesOverFour has one of four external members be down for good meanwhile: it is the next that is taken over.
func TestTakesOverFour(t *testing.T) {
	t.Parallel()
	c, o := amongOthers(t, false, named(4)...)
	o.authenticate()
	id := o.clusterOf(t)
	c.Up()
	writer := write(t, numbers.InEtcd(t, o.root, c.published))
	c.take(t, o, "etcd-1")
	o.stop("etcd-3")
	c.change(func(p *options) { p.limit = "20s" })
	c.ours("etcd-2")
	refused := c.UpFails().Diagnostics
	assert.Contains(t, refused, "etcd-3 is external and does not answer: start it, or take it over as the next one")
	assert.Contains(t, refused, "the cluster needs 3 healthy members besides etcd-2, and has 2")
	assert.Equal(t, 1, c.domains())
	c.change(func(p *options) { p.external, p.limit = []string{"etcd-2", "etcd-4"}, "90s" })
	c.Up()
	assert.Len(t, c.voters(t), 4)
	c.take(t, o, "etcd-2")
	c.take(t, o, "etcd-4")
	writer.stop(t)
	c.ends(t, id, 4)
}

// TestTakesOverFive has machines of both kinds die in the midst: one that was just taken over, one that is about to be, and
// the new one before it has joined. Each time the next updates end it.
func TestTakesOverFive(t *testing.T) {
	t.Parallel()
	c, o := amongOthers(t, false, named(5)...)
	o.authenticate()
	id := o.clusterOf(t)
	c.Up()
	writer := write(t, numbers.InEtcd(t, o.root, c.published))

	// Of the old machine nothing is left, and the new one does not boot.
	c.change(func(p *options) { p.limit = "20s" })
	c.ours("etcd-1")
	c.UpFails()
	o.stop("etcd-1")
	c.World.Fail("create", "Domain", "etcd-1", "operation failed: the hypervisor went away")
	c.UpFails()
	o.stop("etcd-2") // and another one goes
	c.UpFails()
	assert.Zero(t, c.domains())
	c.World.Heal("create", "Domain", "etcd-1")
	assert.Contains(t, c.UpFails().Diagnostics, "One that does not come back is removed from the cluster when `members` does not name it any more")
	assert.Len(t, c.voters(t), 4, "the new machine cannot be added while a member does not answer")
	c.change(func(p *options) {
		p.members, p.external, p.limit = []string{"etcd-1", "etcd-3", "etcd-4", "etcd-5"}, []string{"etcd-3", "etcd-4", "etcd-5"}, "90s"
	})
	assert.Contains(t, c.Up().Diagnostics, "etcd-2 was external, and is not in the program any more: it is removed from the cluster, and its machine stays")
	assert.Len(t, c.voters(t), 4)
	c.change(func(p *options) { p.members = named(5) })
	c.Up()
	assert.Len(t, c.voters(t), 5)

	// Two that were taken over are off and frozen when the next one is to be.
	c.change(func(p *options) { p.limit = "20s" })
	c.machines.Off("etcd-1")
	c.machines.Freeze("etcd-2")
	c.ours("etcd-3")
	assert.Contains(t, c.UpFails().Diagnostics, "the cluster needs 3 healthy members besides etcd-3, and has 2")
	c.machines.Mend("etcd-1")
	c.machines.Mend("etcd-2")
	c.change(func(p *options) { p.limit = "90s" })
	require.Contains(t, c.UpFails().Diagnostics, "etcd-3: a machine that was not made here answers")
	o.stop("etcd-3")
	c.UpKilled(func(r engine.Result) bool { _, begun := r.Step("create", "EtcdMember", "main-etcd-3"); return begun })
	c.Unlock()
	c.Up()
	assert.Len(t, c.voters(t), 5)
	c.take(t, o, "etcd-4")
	c.take(t, o, "etcd-5")
	writer.stop(t)
	c.ends(t, id, 5)
}
