package clusters

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDatabaseLeaves has a node leave the program whose machine could not be
// deleted, after its guard was. It leads when the next update comes.
func TestDatabaseLeaves(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.Up()
	leader, standby := d.leader(t), d.standby(t)
	leaving := d.follower(t, standby)
	d.World.Fail("delete", "Domain", leaving, "libvirt: connection lost")
	d.change(func(o *databaseOptions) {
		o.nodes = slices.DeleteFunc(slices.Clone(o.nodes), func(name string) bool { return name == leaving })
		o.limit = "60s"
	})
	assert.Contains(t, d.UpFails().Diagnostics, "libvirt: connection lost")
	d.World.Heal("delete", "Domain", leaving)
	d.machines.Off(leader)
	require.Eventually(t, func() bool { return d.standby(t) == leaving }, 100*time.Second, time.Second)
	time.Sleep(8 * time.Second) // it is one in etcd, too
	d.machines.Off(standby)
	direct := d.superuser(t, d.subnet+".1"+leaving[len(leaving)-1:]+":5432")
	require.Eventually(t, func() bool {
		answer, err := direct.Query(t.Context(), "SELECT pg_is_in_recovery()")
		return err == nil && answer == "f"
	}, 100*time.Second, time.Second)
	assert.Contains(t, d.UpFails().Diagnostics, "no node reports the state of the cluster: ")
	assert.Contains(t, d.World.Names("Domain"), leaving)
	d.machines.Mend(leader)
	d.machines.Mend(standby)
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up()
	assert.NotContains(t, d.World.Names("Domain"), leaving)
	assert.True(t, d.Up().Unchanged())
}

// TestDatabaseLeavesWhileAnotherIsGone has a node leave the program while the machine
// and data of the other one are gone: the update that finds this out stops, and the next
// one rebuilds that before it asks whether the one that leaves may go.
func TestDatabaseLeavesWhileAnotherIsGone(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.Up()
	leaving, gone := d.leader(t), d.standby(t)
	d.World.RemoveAll(gone)
	d.change(func(o *databaseOptions) {
		o.nodes, o.params, o.limit = []string{gone, "postgres-3"}, "work_mem: 16MB", "90s"
	})
	d.UpFails()
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up("--refresh")
	assert.NotContains(t, d.World.Names("Domain"), leaving)
	assert.True(t, d.Up().Unchanged())
}

// TestLeaderChangesAsItsStandbyLeaves has the leader's machine be rebuilt while its
// synchronous standby, to whom alone it could hand over, leaves the program.
func TestLeaderChangesAsItsStandbyLeaves(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.Up()
	leader, standby := d.leader(t), d.standby(t)
	writer := d.write(t)
	d.change(func(o *databaseOptions) {
		o.nodes = slices.DeleteFunc(slices.Clone(o.nodes), func(name string) bool { return name == standby })
		o.of, o.limit = map[string]string{leader: "            vcpus: 2\n"}, "120s"
	})
	d.Up()
	writer.stop(t)
	assert.NotContains(t, d.World.Names("Domain"), standby)
	assert.True(t, d.Up().Unchanged())
}

// standby is the synchronous one.
func (d *database) standby(t *testing.T) (name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		answer, err := d.superuser(t, d.Outputs()["primary"].([]any)...).Query(t.Context(), "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'")
		name = strings.TrimSpace(answer)
		return err == nil && name != ""
	}, 100*time.Second, time.Second)
	return name
}
