package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDatabaseDays has one database go through its days while a client writes:
// each row stays that the database said it has. A day begins where the last one
// ended.
func TestDatabaseDays(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	var writer *writer
	for _, day := range []struct {
		name string
		is   func(*testing.T)
	}{
		{"half built", d.halfBuilt},
		{"built", func(*testing.T) { d.Up(); writer = d.write(t) }},
		{"a node is added", d.nodeAdded},
		{"and removed", d.nodeRemoved},
		{"a node moves", d.nodeMoved},
		{"an update is killed", d.updateKilled},
		{"all is there", func(t *testing.T) { writer.stop(t); assert.True(t, d.Refresh().Unchanged()) }},
		{"destroyed with the program", d.destroyedWithProgram},
	} {
		if !t.Run(day.name, day.is) {
			return
		}
	}
}

// halfBuilt refreshes and destroys what a first up left that failed.
func (d *database) halfBuilt(t *testing.T) {
	d.World.Fail("create", "Domain", "postgres-2", "no memory left on the host")
	assert.Contains(t, d.UpFails().Diagnostics, "no memory left on the host")
	assert.ElementsMatch(t, []string{"etcd-1", "postgres-1"}, d.World.Names("Domain"), "those after it are yet to be made")
	d.Refresh()
	d.Destroy()
	assert.Empty(t, d.World.Objects())
	d.World.Heal("create", "Domain", "postgres-2")
}

// destroyedWithProgram destroys a cluster that nobody could be asked of, while
// its program says what it is to be.
func (d *database) destroyedWithProgram(t *testing.T) {
	d.machines.Off("postgres-1")
	d.machines.Off("postgres-2")
	d.Destroy("--run-program")
	assert.Empty(t, d.World.Names("Domain"))
}

// nodeAdded has the load balancers get another list of nodes; the nodes that
// were there are not touched. An update that was killed has begun with it: what
// that made, and the state does not have, is deleted by hand.
func (d *database) nodeAdded(t *testing.T) {
	d.change(func(o *databaseOptions) { o.nodes = append(o.nodes, "postgres-4") })
	left := [][2]string{{"Volume", "postgres-4-data.qcow2"}, {"Domain", "postgres-4"}}
	d.World.Leave("Volume", "postgres-3-data.qcow2", "postgres-4-data.qcow2")
	d.World.Leave("Domain", "postgres-3", "postgres-4")
	for _, each := range left {
		failed := d.UpFails()
		assert.Regexp(t, each[0]+` "[^"]*`+each[1]+`" .*already exists`, failed.Diagnostics)
		untouched(t, failed, d.options.nodes[:3]...)
		d.World.Remove(each[0], each[1])
	}
	assert.Equal(t, []string{"create main-postgres-4-domain", "update main-lb-1-domain", "update main-lb-2-domain"}, d.Up().Ops("Domain"))
	assert.True(t, d.Up().Unchanged())
}

func (d *database) nodeRemoved(t *testing.T) {
	all := d.options.nodes
	d.change(func(o *databaseOptions) { o.nodes = all[:3] })
	assert.Contains(t, d.UpFails("--target", d.urn(t, "Domain", "postgres-4-domain"), "--target-dependents").Diagnostics, "the machine of postgres-4 cannot be deleted in this update, which leaves out main-plan")
	assert.Contains(t, d.World.Names("Domain"), "postgres-4")
	assert.Equal(t, []string{"update main-lb-1-domain", "update main-lb-2-domain", "delete main-postgres-4-domain"}, d.Up().Ops("Domain"))
	assert.True(t, d.Up().Unchanged())
}

// nodeMoved has a node come up on another hypervisor, where it copies all data.
func (d *database) nodeMoved(t *testing.T) {
	const there = "qemu+ssh://b/system"
	d.change(func(o *databaseOptions) { o.of = map[string]string{"postgres-2": "            uri: " + there + "\n"} })
	for _, step := range d.Up().Ops("Domain") {
		assert.Contains(t, step, " main-postgres-2-domain")
	}
	for _, o := range d.World.Objects() {
		if o.Type == "Domain" {
			assert.Equal(t, o.Name == "postgres-2", o.Host == there, "%s on %s", o.Name, o.Host)
		}
	}
	assert.True(t, d.Up().Unchanged())
}

// updateKilled has the CLI and the providers die while a machine comes back. What
// libvirt did and the engine has not noted yet is for an operator to sort out.
func (d *database) updateKilled(t *testing.T) {
	system := d.Output("systemId")
	d.change(func(o *databaseOptions) { o.image = "debian-14.qcow2" })
	d.UpKilled(updates("PostgresHealth", "main-postgres-2"))
	d.Unlock()
	resumed := databaseOrder(d.Up("--refresh"))
	assert.NotContains(t, resumed, "delete-replaced Domain postgres-1-domain", "what is done stays")
	assert.Contains(t, resumed, "delete-replaced Domain postgres-3-domain")
	assert.Equal(t, system, d.Output("systemId"))
	assert.True(t, d.Up().Unchanged())
}
