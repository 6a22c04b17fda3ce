package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// updates tells whether the update of a resource has begun.
func updates(kind, name string) func(engine.Result) bool {
	return func(r engine.Result) bool {
		_, begun := r.Step("update", kind, name)
		return begun
	}
}

// TestKilled has the CLI and the providers die half-way.
func TestKilled(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	before, writer := c.voters(t), c.write(t)
	c.change(func(o *options) { o.image = "debian-14.qcow2" })
	c.machines.SickFromNow("etcd-2") // so that the gate waits, and nothing else is in flight
	c.UpKilled(updates("EtcdMember", "main-etcd-2"))
	c.machines.Sick("etcd-2", false)
	c.Unlock()
	c.Up("--refresh")
	assert.Equal(t, before, c.voters(t))
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())
}

// TestProviderKilled has the provider alone die while a gate waits: the update
// ends with an error, and the next one goes on at that gate.
func TestProviderKilled(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	before, writer := c.voters(t), c.write(t)
	c.machines.SickFromNow("etcd-2") // so that the gate waits
	c.change(func(o *options) { o.image = "debian-14.qcow2" })
	failed := c.UpLosing(engine.Quorum, updates("EtcdMember", "main-etcd-2"))
	gate, _ := failed.Step("update", "EtcdMember", "main-etcd-2")
	assert.True(t, gate.Failed, failed.Diagnostics)
	assert.NotContains(t, order(failed), "delete-replaced Domain etcd-3-domain", "those after it are left alone")

	c.machines.Sick("etcd-2", false)
	resumed := c.Up()
	assert.NotContains(t, order(resumed), "delete-replaced Domain etcd-1-domain", "what is done stays")
	assert.NotContains(t, order(resumed), "delete-replaced Domain etcd-2-domain", "what is done stays")
	assert.Contains(t, order(resumed), "delete-replaced Domain etcd-3-domain")
	assert.Equal(t, before, c.voters(t))
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())
}

// TestHalfBuilt refreshes and destroys a cluster whose first up failed.
func TestHalfBuilt(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.World.Fail("create", "Domain", "etcd-3", "no memory left on the host")
	assert.Contains(t, c.UpFails().Diagnostics, "no memory left on the host")
	c.Refresh()
	c.Destroy()
	assert.Empty(t, c.World.Objects())

	c.World.Heal("create", "Domain", "etcd-3")
	c.Up()
	assert.Len(t, c.voters(t), 3)
}
