package clusters

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestDatabaseOfOthers has programs name machines of a cluster that others have made, each in a way that would not take it
// over: each is refused, with what to write, and nothing is made.
func TestDatabaseOfOthers(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	m := newModules(t, d)
	m.startAll()
	m.balance("lb-1", "41", "11", "12", "13")
	m.balance("lb-2", "42", "11", "12", "13")
	all := []string{"postgres-1", "postgres-2", "postgres-3", "lb-1", "lb-2"}
	d.options.postgres, d.options.haproxy = `, version: "15"`+modulesPasswords, m.ca.input()
	config, files := m.ask("11", "/config"), m.hash()
	refused := func(want ...string) {
		t.Helper()
		told := d.UpFails().Diagnostics
		for _, each := range want {
			assert.Contains(t, told, strings.ReplaceAll(each, "SUBNET", d.subnet))
		}
		assert.Equal(t, []string{"etcd-1"}, d.World.Names("Domain"), "nothing is made")
	}

	// Without saying so.
	d.external()
	refused("nodes[0]: Patroni, of the cluster main (system id ", "answers at SUBNET.11, on a machine that this package has not made",
		"nodes[2]: Patroni", "needs external: true (docs/taking-over-postgres.md", "loadBalancers[1]: a load balancer that this package has not made answers at SUBNET.42:5432")
	assert.Contains(t, d.PreviewFails().Diagnostics, ", on a machine that this package has not made", "a preview tells it too")
	d.external("postgres-1", "postgres-2", "lb-1", "lb-2")
	refused("nodes[2]: Patroni")

	// Another authority, scope, version and names.
	d.external(all...)
	own := d.options.haproxy
	d.change(func(o *databaseOptions) { o.haproxy = newAuthority(t).input() })
	refused("nodes are external, so that the cluster must be there and well before anything is changed: no node reports the state of the cluster: postgres-1: ", "unknown authority")
	d.change(func(o *databaseOptions) { o.haproxy, o.postgres = own, `, version: "14"`+modulesPasswords })
	d.Program(strings.ReplaceAll(d.options.program(d.subnet), "scope: main", "scope: other"))
	refused("patroni.scope must be main, as that of the external nodes is, not other", "postgres.version must be 15, as postgres-1 has it, which leads, not 14")
	d.change(func(o *databaseOptions) { o.postgres = `, version: "15"` + modulesPasswords })
	d.Program(strings.ReplaceAll(d.options.program(d.subnet), "- name: postgres-2", "- name: pg-2"))
	refused("nodes[1].name must be postgres-2, as the node at SUBNET.12 is called in its cluster, not pg-2")

	// Who leads is not named.
	d.change(func(o *databaseOptions) { o.nodes = []string{"postgres-2", "postgres-3"} })
	refused(`postgres-1 leads the cluster, and is none of the nodes: add {name: postgres-1, external: true, ip: "SUBNET.11"} to nodes`)

	// A replica is not: it is left alone.
	standby, stranger := "postgres-2", "postgres-3"
	if m.members()[standby].Role != "sync_standby" {
		standby, stranger = stranger, standby
	}
	d.change(func(o *databaseOptions) { o.nodes = []string{"postgres-1", standby} })
	up := d.Up()
	assert.Contains(t, up.Diagnostics, "the cluster has nodes that the program does not name. They are left alone, and do not count: "+stranger)
	m.settle(3)
	assert.Equal(t, config, m.ask("11", "/config"))
	assert.Equal(t, files, m.hash())
	d.change(func(o *databaseOptions) { o.nodes = []string{"postgres-1", "postgres-2", "postgres-3"} })
	d.Up()
	assert.True(t, d.Up().Unchanged())

	// It is not there.
	for _, name := range []string{"postgres-1", "postgres-2", "postgres-3"} {
		m.off(name)
	}
	d.external("postgres-2", "postgres-3", "lb-1", "lb-2")
	refused("nodes are external, so that the cluster must be there and well before anything is changed: no node reports the state of the cluster")
}

// TestDatabaseJoins has a node join a cluster that is not there: it founds none.
func TestDatabaseJoins(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1")
	ca := newAuthority(t)
	etcdAlone, _, _ := strings.Cut(d.options.program(d.subnet), "  main:\n")
	program := etcdAlone + fmt.Sprintf(`  node:
    type: quorum:PostgresServer
    properties:
      name: postgres-1
      joins: true
      sshAdminPublicKey: %s
      etcd: {endpoints: "${etcd.endpoints}", caCert: "${etcd.caCert}", username: root, password: "${etcd.rootPassword}"}
      postgres: {%s}
      patroni: {scope: main, loopWait: 3, watchdogMode: "off"}
      libvirt:
        volume: {pool: default, baseVolumeName: debian-13.qcow2}
        cloudInitVolumePool: default
        networks: [{networkName: default, ip: %s.11, prefixLength: 24}]
%soutputs:
  etcdPassword: ${etcd.rootPassword}
`, engine.SSHKey, strings.TrimPrefix(modulesPasswords, ", "), d.subnet, ca.input())
	d.Program(program)
	d.Up()
	require.Eventually(t, func() bool {
		return strings.Count(d.machines.Said("postgres-1"), "etcd does not know the cluster that this node joins") > 0
	}, time.Minute, time.Second)
	time.Sleep(5 * time.Second)
	client := d.etcd(t)
	found, err := client.Get(t.Context(), "/service/main/", clientv3.WithPrefix())
	require.NoError(t, err)
	assert.Empty(t, found.Kvs, "Patroni is not even started: with data it would found one")
}
