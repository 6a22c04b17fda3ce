package clusters

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/postgresmachines"
)

// database is a stack with an EtcdCluster of one member and a PostgresCluster
// on it, and their machines.
type database struct {
	*engine.Stack
	machines *postgresmachines.Machines
	members  *etcdmachines.Machines // of etcd
	subnet   string
	options  databaseOptions
}

// databaseOptions are what tests change in the program.
type databaseOptions struct {
	nodes    []string // postgres-1 has the address .11
	image    string
	params   string
	postgres string            // further settings
	patroni  string            // further settings
	of       map[string]string // further inputs of a node's libvirt
	haproxy  string            // further inputs
	limit    string            // of updates of the database
	create   string            // limit of what is made
	memory   int               // of nodes, MiB
	data     string            // size of their data volumes
	pool     string            // pool of these
	access   string            // more of it
}

func newDatabase(t *testing.T, nodes ...string) *database {
	t.Helper()
	subnet := loopback.Subnet(t)
	o := databaseOptions{nodes: nodes, image: "debian-13.qcow2", params: "work_mem: 8MB", limit: "300s", create: "300s", data: "1073741824"}
	s := engine.New(t, engine.Options{Program: o.program(subnet)})
	etcd := etcdmachines.Run(t, s.World)
	return &database{s, postgresmachines.Run(t, s.World), etcd, subnet, o}
}

func (d *database) change(to func(*databaseOptions)) {
	to(&d.options)
	d.Program(d.options.program(d.subnet))
}

func (o databaseOptions) program(subnet string) string {
	var b strings.Builder
	machine := func(name, ip, image, more string) {
		fmt.Fprintf(&b, `        - name: %s
          libvirt:
            volume: {pool: default, baseVolumeName: %s}
            cloudInitVolumePool: default
            networks: [{networkName: default, ip: %s.%s, prefixLength: 24}]
%s`, name, image, subnet, ip, more)
	}
	data := "            dataVolume: {pool: default, size: 1073741824}\n"
	fmt.Fprintf(&b, `
resources:
  etcd:
    type: quorum:EtcdCluster
    options: {customTimeouts: {create: 90s, update: 90s}}
    properties:
      sshAdminPublicKey: %s
      etcd: {grpcGatewayEnabled: true, clientCertAuth: false}
      members:
`, engine.SSHKey)
	machine("etcd-1", "1", "debian-13.qcow2", data)
	fmt.Fprintf(&b, `  main:
    type: quorum:PostgresCluster
    options: {customTimeouts: {create: %s, update: %s}}
    properties:
      sshAdminPublicKey: %s
      etcd: {endpoints: "${etcd.endpoints}", caCert: "${etcd.caCert}", username: root, password: "${etcd.rootPassword}"}
      postgres: {params: {%s}, access: [{users: [postgres], networks: [127.0.0.0/8]}%s]%s}
      patroni: {scope: main, loopWait: 3, watchdogMode: "off"%s}
      nodes:
`, o.create, o.limit, engine.SSHKey, o.params, o.access, o.postgres, o.patroni)
	data = fmt.Sprintf("            dataVolume: {pool: %s, size: %s}\n", cmp.Or(o.pool, "default"), o.data)
	if o.memory != 0 {
		data += fmt.Sprintf("            memory: %d\n", o.memory)
	}
	for _, name := range o.nodes {
		machine(name, "1"+name[strings.LastIndex(name, "-")+1:], o.image, data+o.of[name])
	}
	b.WriteString(o.haproxy + "      loadBalancers:\n")
	machine("lb-1", "41", o.image, o.of["lb-1"])
	machine("lb-2", "42", o.image, o.of["lb-2"])
	b.WriteString(`outputs:
  primary: ${main.primaryEndpoints}
  replicas: ${main.replicaEndpoints}
  caCert: ${main.caCert}
  password: ${main.superuserPassword}
  clientCert: ${main.clientCert}
  clientKey: ${main.clientKey}
  systemId: ${main.systemId}
  etcdPassword: ${etcd.rootPassword}
`)
	return b.String()
}

// databaseOrder is what happened to domains and to gates, in that order.
func databaseOrder(r engine.Result) []string { return steps(r, "Domain", "PostgresHealth") }

func TestDatabase(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	preview := d.Preview()
	up := d.Up()
	assert.Equal(t, preview.Changes["create"], up.Changes["create"], "preview tells what up does")
	primary, replica := d.Outputs()["primary"].([]any)[0], d.Outputs()["replicas"].([]any)[1]
	d.ask(t, "CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS n", primary)
	assert.Equal(t, "t", d.ask(t, "SELECT pg_is_in_recovery()", replica))
	assert.True(t, d.Up().Unchanged())
	exported := d.Export()
	assert.NotContains(t, exported, "PRIVATE KEY")
	assert.NotContains(t, exported, d.Output("password"))

	system := d.Output("systemId")
	d.change(func(o *databaseOptions) { o.image = "debian-14.qcow2" })
	up = d.Up()
	var want []string
	for _, node := range d.options.nodes {
		want = append(want, "update PostgresHealth without-"+node, "delete-replaced Domain "+node+"-domain", "create-replacement Domain "+node+"-domain", "update PostgresHealth "+node)
	}
	want = append([]string{"update PostgresHealth plan"}, append(want,
		"update PostgresHealth without-lb-1", "delete-replaced Domain lb-1-domain", "create-replacement Domain lb-1-domain", "update PostgresHealth lb-1",
		"update PostgresHealth without-lb-2", "delete-replaced Domain lb-2-domain", "create-replacement Domain lb-2-domain", "update PostgresHealth healthy")...)
	assert.Equal(t, want, databaseOrder(up))
	assert.Equal(t, "42", d.ask(t, "SELECT n FROM kept", primary))
	assert.Equal(t, system, d.Output("systemId"))
	assert.True(t, d.Up().Unchanged())
}

// TestDatabaseStops has an update meet a node that does not come up, and one
// change what needs no node to stop.
func TestDatabaseStops(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.Up()
	d.change(func(o *databaseOptions) { o.params = "work_mem: 16MB" })
	for _, step := range databaseOrder(d.Up()) {
		assert.NotContains(t, step, "without-", "the running cluster takes it up")
		assert.NotContains(t, step, "replace")
	}

	d.change(func(o *databaseOptions) { o.image, o.postgres = "debian-14.qcow2", ", superuserPassword: another" })
	assert.Contains(t, d.PreviewFails().Diagnostics, "postgres: passwords must not change in an update that rebuilds postgres-1, or restarts Patroni there")

	d.change(func(o *databaseOptions) { o.postgres = "" })
	d.machines.Sick("postgres-2", true)
	d.change(func(o *databaseOptions) { o.image, o.limit = "debian-14.qcow2", "20s" })
	failed := d.UpFails()
	assert.Equal(t, []string{
		"update PostgresHealth plan", "update PostgresHealth without-postgres-2",
		"delete-replaced Domain postgres-2-domain", "create-replacement Domain postgres-2-domain", "update PostgresHealth postgres-2",
	}, databaseOrder(failed), "postgres-2 comes first, and without it no other can be spared")
	assert.Contains(t, failed.Diagnostics, "postgres-2: does not answer: connection refused")

	d.machines.Sick("postgres-2", false)
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	resumed := databaseOrder(d.Up())
	for _, node := range []string{"postgres-1", "postgres-3"} {
		assert.Contains(t, resumed, "create-replacement Domain "+node+"-domain")
	}
	assert.NotContains(t, resumed, "create-replacement Domain postgres-2-domain", "what is done stays")
	assert.True(t, d.Up().Unchanged())
}

// TestDatabaseRollsBack has a load balancer put back what it was, and in the end
// a whole database leave the program.
func TestDatabaseRollsBack(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.Up()
	d.machines.Refuse("lb-1", "haproxy.service: haproxy refuses the new configuration (exit status 1)")
	d.change(func(o *databaseOptions) { o.haproxy = "      haproxy: {timeouts: {idle: 1h}}\n" })
	assert.Contains(t, d.Preview().Diagnostics, "live: haproxy.service reloads")
	failed := d.UpFails()
	assert.Contains(t, failed.Diagnostics, "it could not apply its new configuration (rolled back): haproxy.service: haproxy refuses the new configuration")
	assert.NotContains(t, databaseOrder(failed), "update Domain lb-2-domain", "the one after it is left alone")

	d.machines.Refuse("lb-1", "")
	d.change(func(o *databaseOptions) { o.haproxy = "      haproxy: {timeouts: {idle: 2h}}\n" })
	assert.Contains(t, databaseOrder(d.Up()), "update Domain lb-2-domain")
	assert.True(t, d.Up().Unchanged())

	d.machines.Off("postgres-1") // without it the other is no cluster
	etcdAlone, _, _ := strings.Cut(d.options.program(d.subnet), "  main:\n")
	d.Program(etcdAlone)
	d.Up()
	assert.Equal(t, []string{"etcd-1"}, d.World.Names("Domain"), "a cluster that left the program goes, and nobody is asked")
}
