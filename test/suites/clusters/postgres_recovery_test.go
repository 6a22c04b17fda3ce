package clusters

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestDatabaseRecovery has each situation of "Recover" in docs/postgres-cluster.md
// come about, and does what that says. A situation begins where the last one ended.
func TestDatabaseRecovery(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.Up()
	writer := d.write(t)
	for _, situation := range []struct {
		name string
		is   func(*testing.T)
	}{
		{"a node is off", d.nodeOff},
		{"machines are powered off", d.poweredOff},
		{"a node is frozen", d.nodeFrozen},
		{"a machine is gone with its data", d.machineGone},
		{"the data directory of a node is broken", d.dataBroken},
		{"the leader has no followers", d.noFollowers},
		{"an update failed half-way and another node fails after it", d.halfWay},
		{"the drive of a node could not be swapped", d.notSwapped},
		{"etcd is unavailable", d.etcdAway},
		{"more nodes were added than could be made", d.tooManyAdded},
		{"the leader is taken out of the program", d.leaderTakenOut},
		{"all is there", func(t *testing.T) { writer.stop(t); assert.True(t, d.Up().Unchanged()) }},
		{"the leader is lost with the data of all synchronous standbys", d.leaderLost},
		{"all nodes have lost their data", d.allLost},
		{"all nodes are off and the stack is destroyed", d.destroyedDead},
	} {
		if !t.Run(situation.name, situation.is) {
			return
		}
	}
}

// urn is that of a child of the database.
func (d *database) urn(t *testing.T, kind, name string) string {
	t.Helper()
	for _, r := range d.Resources() {
		if strings.HasSuffix(string(r.Type), ":"+kind) && r.URN.Name() == "main-"+name {
			return string(r.URN)
		}
	}
	require.Fail(t, "no such resource", "%s %s", kind, name)
	return ""
}

// leader is the node that load balancers lead to.
func (d *database) leader(t *testing.T) string {
	t.Helper()
	ip := d.ask(t, "SELECT host(inet_server_addr())", d.Outputs()["primary"].([]any)...)
	return "postgres-" + strings.TrimPrefix(ip, d.subnet+".1")
}

// followers are the nodes that do not lead.
func (d *database) followers(t *testing.T) (all []string) {
	t.Helper()
	leader := d.leader(t)
	for _, node := range d.options.nodes {
		if node != leader {
			all = append(all, node)
		}
	}
	return all
}

func untouched(t *testing.T, r engine.Result, nodes ...string) {
	t.Helper()
	for _, node := range nodes {
		for _, step := range []string{"delete", "delete-replaced", "create-replacement"} {
			assert.NotContains(t, databaseOrder(r), fmt.Sprintf("%s Domain %s-domain", step, node))
		}
	}
}

func (d *database) params(value string) { d.change(func(o *databaseOptions) { o.params = value }) }

// nodeOff has settings reach the others, and the node rebuilt.
func (d *database) nodeOff(t *testing.T) {
	off := d.followers(t)[0]
	d.machines.Off(off)
	d.params("work_mem: 9MB")
	up := d.Up()
	assert.Contains(t, up.Diagnostics, off+": was not in the cluster before this update, and still is not")
	d.Up("--replace", d.urn(t, "Domain", off+"-domain"))
	assert.True(t, d.Up().Unchanged())
}

// poweredOff has a refresh start the machines of a node and of a load balancer:
// the update ends when both serve.
func (d *database) poweredOff(t *testing.T) {
	off, primary := d.followers(t)[0], d.Outputs()["primary"].([]any)
	for _, machine := range []string{off, "lb-2"} {
		d.World.PowerOff(machine)
		require.Eventually(t, func() bool { return !d.machines.Runs(machine) }, time.Minute, 100*time.Millisecond)
	}
	assert.Contains(t, databaseOrder(d.Up("--refresh")), "update PostgresHealth healthy")
	follows, err := d.superuser(t, primary[1]).Query(t.Context(), fmt.Sprintf("SELECT state FROM pg_stat_replication WHERE application_name = '%s'", off))
	require.NoError(t, err, "the load balancer leads to the leader")
	assert.Equal(t, "streaming", follows)
	assert.True(t, d.Up("--refresh").Unchanged())
}

func (d *database) nodeFrozen(t *testing.T) {
	frozen := d.leader(t)
	others := d.followers(t)
	d.machines.Freeze(frozen)
	up := d.Up("--replace", d.urn(t, "Domain", frozen+"-domain"))
	untouched(t, up, others...)
	assert.True(t, d.Up().Unchanged())
}

func (d *database) machineGone(t *testing.T) {
	gone := d.followers(t)[1]
	d.lose(gone)
	d.Up("--refresh")
	assert.True(t, d.Up().Unchanged())
}

// lose takes the machines of nodes away with their data.
func (d *database) lose(nodes ...string) {
	for _, gone := range nodes {
		d.World.RemoveAll(gone)
	}
}

// dataBroken has a node that Patroni starts again and again, and whose
// PostgreSQL does not come up: all nodes change, it first.
func (d *database) dataBroken(t *testing.T) {
	broken := d.followers(t)[1]
	d.machines.Break(broken)
	d.change(func(o *databaseOptions) { o.limit = "15s" })
	d.change(func(o *databaseOptions) { o.of = map[string]string{broken: "            vcpus: 4\n"} })
	failed := d.UpFails()
	assert.Contains(t, failed.Diagnostics, broken+": ")
	assert.Contains(t, failed.Diagnostics, "Look at it: `journalctl -u patroni`")
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up("--replace", d.urn(t, "Volume", broken+"-data-volume"))
	assert.True(t, d.Up().Unchanged())
}

func (d *database) noFollowers(t *testing.T) {
	leader, others := d.leader(t), d.followers(t)
	for _, node := range others {
		d.machines.Off(node)
	}
	d.change(func(o *databaseOptions) { o.image, o.limit, o.of = "debian-15.qcow2", "300s", nil })
	order := databaseOrder(d.Up())
	last := fmt.Sprintf("delete-replaced Domain %s-domain", leader)
	require.Contains(t, order, last)
	for _, node := range others {
		assert.Less(t, index(order, "create-replacement Domain "+node+"-domain"), index(order, last), "the leader comes last")
	}
	assert.True(t, d.Up().Unchanged())
}

func index(all []string, what string) int {
	for i, one := range all {
		if one == what {
			return i
		}
	}
	return -1
}
