package clusters

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// setting is one that etcd restarts for.
const setting = "      etcd: {heartbeatInterval: 150}\n"

// all are the names of all members, of learners too.
func (c *cluster) all(t *testing.T) (names []string) {
	t.Helper()
	list, err := c.client(t).MemberList(t.Context())
	require.NoError(t, err)
	for _, m := range list.Members {
		names = append(names, m.Name)
	}
	return names
}

// writable tells why the cluster takes no write, if it does not.
func (c *cluster) writable(t *testing.T) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := c.client(t).Put(ctx, "/x", "y")
	return err
}

// TestTakenBack adds members and changes a setting that the first one refuses,
// and then takes all of it back: those that were added are members no more
// before their machines go.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, meanwhile int }{"one": {1, 3}, "three": {3, 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testTakenBack(t, c.before, c.meanwhile)
		})
	}
}

func testTakenBack(t *testing.T, before, meanwhile int) {
	t.Helper()
	c := newCluster(t, named(before)...)
	c.Up()
	c.writeAll(t)
	c.machines.Refuse("etcd-1", "etcd.service: is failed")
	c.change(func(o *options) { o.members, o.extra = named(meanwhile), setting })
	c.UpFails()
	assert.Len(t, c.all(t), meanwhile)
	c.machines.Refuse("etcd-1", "")
	c.change(func(o *options) { o.members, o.extra = named(before), "" })
	c.Up()
	assert.ElementsMatch(t, named(before), c.all(t))
	assert.ElementsMatch(t, named(before), c.World.Names("Domain"))
	require.NoError(t, c.writable(t))
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
	if before > 1 {
		c.machines.Off("etcd-3")
		require.NoError(t, c.writable(t), "a cluster of three does without one")
	}
}

// TestNeverStarted adds two members of which the second never starts, and takes
// both back.
func TestNeverStarted(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.machines.SickFromNow("etcd-5")
	c.change(func(o *options) { o.members, o.limit = named(5), "30s" })
	c.UpFails()
	assert.Len(t, c.all(t), 5)
	c.change(func(o *options) { o.members, o.limit = named(3), "90s" })
	c.Up()
	assert.ElementsMatch(t, named(3), c.all(t))
	assert.True(t, c.Up().Unchanged())
}

// TestKilledWithLearner kills an update while the first of two new members is a
// learner: etcd takes the second one in only when that votes.
func TestKilledWithLearner(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.change(func(o *options) { o.members = named(5) })
	c.TryUntil(3*time.Minute, func(engine.Result) bool {
		s, runs := c.machines.Statuses()["etcd-4"]
		return runs && s.ID != 0 && !s.Votes
	}, engine.Running.Kill, "up")
	c.Unlock()
	c.Up("--refresh")
	assert.Len(t, c.voters(t), 5)
	assert.True(t, c.Up().Unchanged())
}

// TestSettingTakenBack kills an update behind the swap of a drive, and takes the
// setting back: the machine has had both, and is waited for.
func TestSettingTakenBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.machines.SickFromNow("etcd-1")
	c.change(func(o *options) { o.extra = setting })
	c.UpKilled(updates("EtcdMember", "main-etcd-1"))
	c.machines.Sick("etcd-1", false)
	c.Unlock()
	c.change(func(o *options) { o.extra = "" })
	up := c.Up("--refresh")
	assert.Contains(t, up.Ops("EtcdMember"), "update main-etcd-1")
	assert.True(t, c.Up().Unchanged())
}
