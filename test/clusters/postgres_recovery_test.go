package clusters

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/engine"
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
		{"etcd is away", d.etcdAway},
		{"more nodes were added than could be made", d.tooManyAdded},
		{"the leader is taken out of the program", d.leaderTakenOut},
		{"all is there", func(t *testing.T) { writer.stop(t); assert.True(t, d.Up().Unchanged()) }},
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

// nodeOff has settings reach the others, and the node made anew.
func (d *database) nodeOff(t *testing.T) {
	off := d.followers(t)[0]
	d.machines.Off(off)
	d.params("work_mem: 9MB")
	up := d.Up()
	assert.Contains(t, up.Diagnostics, off+": was out of the cluster before this update, and still is")
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
	follows, err := d.superuser(t, primary[1]).query(t.Context(), fmt.Sprintf("SELECT state FROM pg_stat_replication WHERE application_name = '%s'", off))
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
	for _, each := range [][2]string{{"Domain", gone}, {"Volume", gone + ".qcow2"}, {"Volume", gone + "-data.qcow2"}} {
		d.World.Remove(each[0], each[1])
	}
	d.Up("--refresh")
	assert.True(t, d.Up().Unchanged())
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

// halfWay has the gate of a node pass, its machine stay, and another node fail
// before the next update: a gate that has passed is not asked again.
func (d *database) halfWay(t *testing.T) {
	d.change(func(o *databaseOptions) { o.limit = "40s" })
	d.Up() // what waits for a deletion has the limit of the update before
	node, other := d.leader(t), d.followers(t)[0]
	d.World.Fail("delete", "Domain", node, "libvirt: connection lost")
	d.change(func(o *databaseOptions) { o.of = map[string]string{node: "            vcpus: 6\n"} })
	assert.Contains(t, d.UpFails().Diagnostics, "libvirt: connection lost")
	d.World.Heal("delete", "Domain", node)
	d.machines.Off(other)
	domain := d.urn(t, "Domain", node+"-domain")
	was := d.id(t, node)
	for _, args := range [][]string{nil, {"--replace", domain}} {
		assert.Contains(t, d.UpFails(args...).Diagnostics, "the machine of "+node+" must not go")
		assert.Equal(t, was, d.id(t, node), "its machine is there")
	}
	d.UpFails("--target", domain, "--target-dependents")
	assert.Equal(t, was, d.id(t, node), "its machine is there")
	d.machines.Mend(other)
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up()
	assert.True(t, d.Up().Unchanged())
}

// id is that of a machine.
func (d *database) id(t *testing.T, machine string) string {
	t.Helper()
	for _, o := range d.World.Objects() {
		if o.Type == "Domain" && o.Name == machine {
			return o.ID
		}
	}
	require.Fail(t, "no such machine", machine)
	return ""
}

// notSwapped has what restarts Patroni not reach a node, and another node fail
// before the next update.
func (d *database) notSwapped(t *testing.T) {
	node, other := d.leader(t), d.followers(t)[0]
	d.World.Fail("update", "Domain", node, "libvirt: connection lost")
	d.change(func(o *databaseOptions) { o.patroni = ", namespace: /service//" })
	assert.Contains(t, d.UpFails().Diagnostics, "libvirt: connection lost")
	d.World.Heal("update", "Domain", node)
	d.machines.Off(other)
	d.change(func(o *databaseOptions) { o.limit = "60s" }) // the other comes first, and is waited for 30 s
	assert.Contains(t, d.UpFails().Diagnostics, node+" must not restart now")
	d.machines.Mend(other)
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up()
	assert.True(t, d.Up().Unchanged())
}

// etcdAway has settings change while no node can lead.
func (d *database) etcdAway(t *testing.T) {
	system, primary := d.Output("systemId"), d.Outputs()["primary"].([]any)
	d.members.Off("etcd-1")
	client := d.superuser(t, primary...)
	require.Eventually(t, func() bool {
		_, err := client.query(t.Context(), "SELECT 1")
		return err != nil
	}, 2*time.Minute, time.Second, "the leader steps down")
	d.change(func(o *databaseOptions) { o.params, o.limit = "work_mem: 10MB", "20s" })
	failed := d.UpFails()
	assert.Regexp(t, "no node leads|no node tells of the cluster", failed.Diagnostics)
	untouched(t, failed, d.options.nodes...)
	d.members.Mend("etcd-1")
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up()
	assert.Equal(t, system, d.Output("systemId"))
	assert.Equal(t, "10MB", d.ask(t, "SHOW work_mem", primary...))
	assert.True(t, d.Up().Unchanged())
}

// tooManyAdded has all nodes change while one was never made.
func (d *database) tooManyAdded(t *testing.T) {
	d.World.Fail("create", "Domain", "postgres-5", "no memory left on the host")
	d.change(func(o *databaseOptions) { o.nodes = append(o.nodes, "postgres-4", "postgres-5") })
	assert.Contains(t, d.UpFails().Diagnostics, "no memory left on the host")
	d.change(func(o *databaseOptions) { o.nodes, o.image = o.nodes[:4], "debian-16.qcow2" })
	up := d.Up()
	for _, node := range []string{"postgres-1", "postgres-2", "postgres-3"} {
		assert.Contains(t, databaseOrder(up), "create-replacement Domain "+node+"-domain")
	}
	assert.True(t, d.Up().Unchanged())
}

func (d *database) leaderTakenOut(t *testing.T) {
	system, leader := d.Output("systemId"), d.leader(t)
	d.change(func(o *databaseOptions) {
		var left []string
		for _, node := range o.nodes {
			if node != leader {
				left = append(left, node)
			}
		}
		o.nodes = left
	})
	up := d.Up()
	assert.NotEqual(t, leader, d.leader(t))
	assert.NotContains(t, d.World.Names("Domain"), leader)
	assert.Equal(t, system, d.Output("systemId"))
	assert.Contains(t, databaseOrder(up), "delete Domain "+leader+"-domain")
	assert.True(t, d.Up().Unchanged())
}

func (d *database) destroyedDead(t *testing.T) {
	for _, node := range d.options.nodes {
		d.machines.Off(node)
	}
	d.Destroy()
	assert.Empty(t, d.World.Objects())
}
