package clusters

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

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
		assert.Contains(t, d.UpFails(args...).Diagnostics, "the machine of "+node+" cannot be deleted")
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
		_, err := client.Query(t.Context(), "SELECT 1")
		return err != nil
	}, 2*time.Minute, time.Second, "the leader steps down")
	d.change(func(o *databaseOptions) { o.params, o.limit = "work_mem: 10MB", "20s" })
	failed := d.UpFails()
	assert.Regexp(t, "no node is the leader|no node reports the state of the cluster", failed.Diagnostics)
	untouched(t, failed, d.options.nodes...)
	d.members.Mend("etcd-1")
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up()
	assert.Equal(t, system, d.Output("systemId"))
	assert.Contains(t, d.options.nodes, d.leader(t))
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

// leaderLost has no node be left that Patroni lets lead, and one with data.
func (d *database) leaderLost(t *testing.T) {
	system, lost := d.Output("systemId"), []string{d.leader(t), d.standby(t)}
	d.ask(t, "CREATE TABLE IF NOT EXISTS lasting AS SELECT 42 AS n", d.Outputs()["primary"].([]any)...)
	survivor := slices.DeleteFunc(slices.Clone(d.options.nodes), func(n string) bool { return slices.Contains(lost, n) })[0]
	d.ask(t, "SELECT n FROM lasting", d.subnet+".1"+strings.TrimPrefix(survivor, "postgres-")+":5432") // it is asynchronous
	d.lose(lost...)
	d.change(func(o *databaseOptions) { o.limit = "60s" })
	failed := d.UpFails("--refresh").Diagnostics
	assert.Contains(t, failed, "no node is the leader")
	assert.Contains(t, failed, survivor+": has data")
	assert.Contains(t, failed, ": has no data")
	assert.Contains(t, failed, "see Recover in docs/postgres-cluster.md")
	d.machines.Patronictl(survivor, "failover", "main", "--candidate", survivor, "--force")
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up("--refresh")
	assert.Equal(t, system, d.Output("systemId"))
	assert.Equal(t, "42", d.ask(t, "SELECT n FROM lasting", d.Outputs()["primary"].([]any)...))
	assert.True(t, d.Up().Unchanged())
}

// allLost has the cluster begin again, which takes the word of the operator.
func (d *database) allLost(t *testing.T) {
	system := d.Output("systemId")
	d.lose(d.options.nodes...)
	d.change(func(o *databaseOptions) { o.limit = "60s" })
	failed := d.UpFails("--refresh").Diagnostics
	assert.Contains(t, failed, "no node is the leader")
	assert.Contains(t, failed, d.options.nodes[0]+": has no data")
	_, err := d.etcd(t).Delete(t.Context(), "/service/main/", clientv3.WithPrefix()) // as etcdctl does
	require.NoError(t, err)
	d.change(func(o *databaseOptions) { o.haproxy, o.limit = "      skipHealthChecks: true\n", "300s" })
	d.Up()
	d.change(func(o *databaseOptions) { o.haproxy = "" })
	d.Up("--refresh")
	assert.NotEqual(t, system, d.Output("systemId"))
	assert.True(t, d.Up().Unchanged())
}

func (d *database) destroyedDead(t *testing.T) {
	for _, node := range d.options.nodes {
		d.machines.Off(node)
	}
	d.Destroy()
	assert.Empty(t, d.World.Objects())
}
