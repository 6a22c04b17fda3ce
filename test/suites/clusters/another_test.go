package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTakenForWhatItIs has a cluster lose all data, after each gate has seen what
// it had. It is taken as it is then, and changes as any other.
func TestTakenForWhatItIs(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.change(func(o *options) { o.memory = 2048 })
	c.Up() // the gates have seen all this
	c.lose(t, named(3)...)
	assert.Contains(t, c.UpFails("--refresh").Diagnostics, "this cluster has lost data")
	c.change(func(o *options) { o.extra = "      skipHealthChecks: true\n" })
	c.Up()
	c.change(func(o *options) { o.extra = "" })
	c.Up("--refresh")
	c.change(func(o *options) { o.memory = 4096 })
	c.Up()
	assert.Len(t, c.voters(t), 3)
	assert.True(t, c.Up().Unchanged())
}

// TestOnlyMemberBeganAgain is the same of a cluster of one member, which may.
func TestOnlyMemberBeganAgain(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.writeAll(t)
	c.change(func(o *options) { o.memory, o.extra = 2048, "      allowDataLoss: true\n" })
	c.Up("--replace", dataVolume("etcd-1"))
	found, err := c.numbers(t).Count(t.Context(), filled)
	require.NoError(t, err)
	assert.Zero(t, found)
	c.change(func(o *options) { o.extra = "" })
	c.Up()
	c.change(func(o *options) { o.memory = 4096 })
	c.Up()
	assert.True(t, c.Up().Unchanged())
	c.change(func(o *options) { o.members = named(3) })
	c.Up()
	assert.Len(t, c.voters(t), 3)
}
