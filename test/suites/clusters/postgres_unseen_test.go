package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDatabaseUnseen has all nodes be frozen, so that nobody knows which one leads: no machine
// is rebuilt, and none is handed what restarts Patroni.
func TestDatabaseUnseen(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.Up()
	d.change(func(o *databaseOptions) { o.limit = "30s" })
	d.Up() // a guard has the limit of the update before
	leader := d.leader(t)
	machine, urn := d.id(t, leader), d.urn(t, "Domain", leader+"-domain")
	d.World.Fail("update", "Domain", leader, "libvirt: connection lost")
	d.change(func(o *databaseOptions) { o.patroni = ", namespace: /service//" })
	d.UpFails()
	d.World.Heal("update", "Domain", leader)
	for _, name := range d.options.nodes {
		d.machines.Freeze(name)
	}
	d.World.Forget()
	assert.Contains(t, d.UpFails().Diagnostics, leader+" must not restart now: timed out after 30s: no node reports the state of the cluster")
	assert.NotContains(t, strings.Join(d.World.Log("Domain"), "\n"), "update end Domain "+leader)
	assert.Contains(t, d.UpFails("--replace", urn).Diagnostics, "the machine of "+leader+" cannot be deleted now: timed out after 30s: no node reports the state of the cluster")
	assert.Equal(t, machine, d.id(t, leader))
	for _, name := range d.options.nodes {
		d.machines.Mend(name)
	}
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up()
	assert.True(t, d.Up().Unchanged())
}
