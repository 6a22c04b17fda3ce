package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// neverCame has a first update create machines whose services never start. Those of the
// machines that replace them do.
func (d *database) neverCame(t *testing.T) {
	t.Helper()
	all := append([]string{"lb-1", "lb-2"}, d.options.nodes...)
	for _, name := range all {
		d.machines.SickFromNow(name)
	}
	d.change(func(o *databaseOptions) { o.create, o.limit = "15s", "15s" }) // a guard has the limit of the update before
	d.UpFails()
	for _, name := range all {
		d.machines.Off(name)
		d.machines.Sick(name, false)
	}
}

// TestDatabaseFirstImageIsWrong has a first update make machines on which Patroni never
// comes up, and the next one rebuild them from another image; but not what data may lie on.
func TestDatabaseFirstImageIsWrong(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.neverCame(t)
	d.change(func(o *databaseOptions) { o.pool, o.limit = "other", "15s" })
	assert.Contains(t, d.UpFails().Diagnostics, "No update of this cluster has completed yet. If PostgreSQL never ran, `pulumi destroy` loses nothing")
	d.change(func(o *databaseOptions) {
		o.pool, o.image, o.create, o.limit = "", "debian-14.qcow2", "300s", "90s"
	})
	d.Up()
	primary := d.Outputs()["primary"].([]any)[0]
	assert.Equal(t, "1", d.ask(t, "SELECT count(*) FROM pg_stat_replication", primary))
	assert.True(t, d.Up().Unchanged())
}

// TestDatabaseChangedBeforeItIsFounded has a first update make one of two machines, and the
// program change before the next update: the machine may be rebuilt.
func TestDatabaseChangedBeforeItIsFounded(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.World.Fail("create", "Domain", "postgres-2", "libvirt: connection lost")
	assert.Contains(t, d.UpFails().Diagnostics, "libvirt: connection lost")
	d.World.Heal("create", "Domain", "postgres-2")
	first := d.id(t, "postgres-1")
	d.change(func(o *databaseOptions) { o.memory, o.limit = 2048, "60s" })
	d.Up()
	assert.NotEqual(t, first, d.id(t, "postgres-1"))
	assert.True(t, d.Up().Unchanged())
}

// TestDatabaseFoundedThenOff has a first update come to its last gate and fail there, and all
// nodes be off then: their machines are rebuilt only once they answer again.
func TestDatabaseFoundedThenOff(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.machines.SickFromNow("lb-2")
	d.change(func(o *databaseOptions) { o.create, o.limit = "60s", "20s" })
	assert.Contains(t, d.UpFails().Diagnostics, ".42: its node exporter, at ")
	first, system := d.id(t, "postgres-1"), d.Resource(":PostgresHealth", "main-healthy").Outputs["systemId"]
	for _, name := range d.options.nodes {
		d.machines.Off(name)
	}
	d.machines.Sick("lb-2", false)
	d.change(func(o *databaseOptions) { o.image = "debian-14.qcow2" })
	assert.Contains(t, d.UpFails().Diagnostics, "the machine of postgres-1 cannot be deleted now: timed out after 20s: no node reports the state of the cluster: postgres-1: connection refused, postgres-2: connection refused\nThe cluster was initialised before, and one of its nodes may be the leader.")
	d.UpFails("--target-replace", d.urn(t, "Domain", "postgres-1-domain"), "--target-dependents", "--target", d.urn(t, "PostgresHealth", "plan"))
	assert.Equal(t, first, d.id(t, "postgres-1"))
	for _, name := range d.options.nodes {
		d.machines.Mend(name)
	}
	d.change(func(o *databaseOptions) { o.create, o.limit = "300s", "120s" })
	d.Up()
	assert.NotEqual(t, first, d.id(t, "postgres-1"))
	assert.Equal(t, system, d.Output("systemId"))
	assert.True(t, d.Up().Unchanged())
}

// TestDatabaseHalfFoundedThenOff has a first update fail after one of two nodes led, and both
// be off then: their data stay, whatever is rebuilt.
func TestDatabaseHalfFoundedThenOff(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.machines.SickFromNow("postgres-2")
	d.change(func(o *databaseOptions) { o.create, o.limit = "40s", "20s" })
	assert.Contains(t, d.UpFails().Diagnostics, "postgres-2: does not answer")
	var system any
	for _, r := range d.Resources() {
		if id := r.Outputs["systemId"]; strings.HasSuffix(string(r.Type), ":PostgresHealth") && id != "" {
			system = id
		}
	}
	first := d.id(t, "postgres-1")
	for _, name := range d.options.nodes {
		d.machines.Off(name)
	}
	d.machines.Sick("postgres-2", false)
	d.change(func(o *databaseOptions) { o.pool = "other" })
	assert.Contains(t, d.UpFails().Diagnostics, "No update of this cluster has completed yet.")
	assert.Equal(t, first, d.id(t, "postgres-1"))
	d.change(func(o *databaseOptions) { o.pool, o.memory, o.create, o.limit = "", 2048, "300s", "120s" })
	d.Up()
	assert.NotEqual(t, first, d.id(t, "postgres-1"))
	assert.Equal(t, system, d.Output("systemId"))
	assert.True(t, d.Up().Unchanged())
}
