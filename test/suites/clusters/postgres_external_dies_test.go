package clusters

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDatabaseTakenOverWhileNodesDie has a standby and the leader be down for good as a cluster is taken over, and one that
// was taken over be off meanwhile.
func TestDatabaseTakenOverWhileNodesDie(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d, m := newExternal(t)
	left := []string{"postgres-1", "postgres-2", "postgres-3", "lb-1", "lb-2"}
	takes := func(name string) {
		left = slices.DeleteFunc(left, func(external string) bool { return external == name })
		d.external(left...)
	}
	d.external(left...)
	d.Up()
	id := d.Output("systemId")
	writes := d.write(t)

	m.off("postgres-3")
	takes("postgres-2")
	d.change(func(o *databaseOptions) { o.limit, o.create = "40s", "40s" })
	assert.Contains(t, d.UpFails().Diagnostics, "postgres-3")
	assert.Equal(t, []string{"etcd-1"}, d.World.Names("Domain"), "the others would not do without it")
	d.change(func(o *databaseOptions) { o.limit, o.create = "300s", "300s" })
	left = append(left, "postgres-2")
	takes("postgres-3")
	d.Up()
	m.settle(3)
	assert.Contains(t, d.World.Names("Domain"), "postgres-3", "nothing has to be shut down")

	m.off("postgres-1")
	takes("postgres-1")
	d.Up()
	m.settle(3)
	assert.Contains(t, d.World.Names("Domain"), "postgres-1")

	d.machines.Off("postgres-3")
	takes("postgres-2")
	d.change(func(o *databaseOptions) { o.limit, o.create = "40s", "40s" })
	assert.Contains(t, d.UpFails().Diagnostics, "postgres-3")
	assert.NotContains(t, d.World.Names("Domain"), "postgres-2")
	d.machines.Mend("postgres-3")
	d.change(func(o *databaseOptions) { o.limit, o.create = "300s", "300s" })
	assert.Contains(t, d.UpFails().Diagnostics, "Shut it down and undefine it")
	m.off("postgres-2")
	d.Up()
	m.settle(3)
	assert.Equal(t, id, d.Output("systemId"))
	assert.True(t, d.Up().Unchanged())
	writes.stop(t)
}
