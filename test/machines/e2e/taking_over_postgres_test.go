//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// databaseTakenOver is the stack that takes a PostgreSQL cluster over from Terraform.
type databaseTakenOver struct {
	*engine.Stack
	text string // of from-terraform
	data map[string]string
}

// external has these machines be external, and no others of the cluster. The member of etcd stays so.
func (o *databaseTakenOver) external(t *testing.T, machines ...string) {
	t.Helper()
	all, cluster := sandboxed(t, o.text, "postgres", machines)
	cluster["installDependencies"] = false // the image has them
	var access []any                       // the client is the superuser
	require.NoError(t, yaml.Unmarshal([]byte("["+superuserRule+", {}]"), &access))
	cluster["postgres"].(map[string]any)["access"] = access
	all["outputs"] = map[string]any{"systemId": "${postgres.systemId}", "caCert": "${postgres.caCert}"}
	text, err := yaml.Marshal(all)
	require.NoError(t, err)
	o.Program(string(text))
}

// balanced are the nodes by one name, which the load balancer looks up.
const balanced = "postgres.example.org"

// named has the sandbox's gateway know it.
func named(t *testing.T, gateway string) {
	t.Helper()
	hosts := filepath.Join(t.TempDir(), "hosts")
	require.NoError(t, os.WriteFile(hosts, []byte(strings.Join(nodeAddresses, " "+balanced+"\n")+" "+balanced+"\n"), 0o600))
	cmd := exec.Command(program, "shell", "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--user=root", "--bind-interfaces",
		"--listen-address="+gateway, "--no-resolv", "--no-hosts", "--addn-hosts="+hosts, "--local=/"+balanced+"/")
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
}

// exchangePair has nodes of the module ask each other: its releases before 2025 give Patroni's client the certificate as
// the key, and the key as the certificate, with which there is no switchover.
func exchangePair(t *testing.T, node string) {
	t.Helper()
	on(t, node, "sh", "-ec", `cd /etc/patroni/tls
if grep -q PRIVATE api-client.crt; then mv api-client.crt exchanged; mv api-client.key api-client.crt; mv exchanged api-client.key; fi`)
}

// dataOf is which file a node's data begin with: a copy is another one.
func dataOf(t *testing.T, node, place string) string {
	t.Helper()
	return on(t, node, "stat", "--format=%i of %W", place+"/PG_VERSION")
}

// take has Pulumi make the machine of a node, in the place of Terraform's, which is shut down when the update asks for it.
func (o *databaseTakenOver) take(t *testing.T, node string, left ...string) (definition string) {
	t.Helper()
	o.external(t, left...)
	assert.Contains(t, o.UpFails().Diagnostics, "Shut it down and undefine it, and keep its disks; then the next `pulumi up` goes on")
	leader, _ := settled(t)
	assert.NotEqual(t, node, leader, "it has handed over")
	definition = shutDown(t, node)
	o.Up()
	settled(t)
	assert.Equal(t, o.data[node], dataOf(t, node, "/var/lib/postgresql/data"), "%s has the data that it had, and no copy", node)
	assert.Equal(t, "postgres_data", on(t, node, "findmnt", "--noheadings", "--output=LABEL", "--target=/var/lib/postgresql/data"), node)
	return definition
}

// giveBack has Terraform's machine of a node be there again, with the data that it had, where it looks for them.
func (o *databaseTakenOver) giveBack(t *testing.T, node, definition, place string, left ...string) {
	t.Helper()
	o.external(t, left...)
	o.Up()
	assert.NotContains(t, strings.Fields(must(t, "shell", "virsh", "list", "--all", "--name")), node)
	must(t, "shell", "virsh", "define", secretFile(t, node+".xml", definition))
	must(t, "shell", "virsh", "start", node)
	wait(t, "the data of "+node, func() error {
		_, err := hardware.do("exec", node, "sh", "-ec", `systemctl stop patroni
[ -e /var/lib/postgresql/data ] && rm -rf "$0" && mv -T /var/lib/postgresql/data "$0" && systemctl start patroni`, place)
		return err
	})
	settled(t)
	assert.Equal(t, o.data[node], dataOf(t, node, place), "%s has the data that it had", node)
}

// TestDatabaseTakenOverFromTerraform has kvm-postgres-server itself make three nodes, kvm-postgres-load-balancer a load
// balancer and kvm-etcd-server the etcd that they need, on virtual machines, by Terraform. All but etcd is taken over while
// a client writes by way of the load balancer: standbys first, the first of which is given back once, and the leader last.
func TestDatabaseTakenOverFromTerraform(t *testing.T) {
	tf := newTerraform(t, "taking-over-postgres")
	a := sandboxAbout(t)
	imageOfModules(t, a)
	named(t, a.of("gateway"))
	options := stackOptions(t, baked, "resources: {}", append(slices.Clone(nodes), loadBalancer), nil)
	tf.apply(t)
	wait(t, "etcd of Terraform's", func() error {
		_, err := sandbox("shell", "env", "ETCDCTL_API=3", "etcdctl", "--command-timeout=10s", "--endpoints=https://"+addresses["etcd-1"]+":2379",
			"--insecure-transport=false", "--insecure-skip-tls-verify", "--user=root:ROOT-pw", "endpoint", "health")
		return err
	})
	leader, _ := settled(t)
	o := &databaseTakenOver{text: tf.program(t, &options), data: map[string]string{}}
	o.Stack = engine.New(t, options)
	place := on(t, leader, "sh", "-c", "ls -d /var/lib/postgresql/*/data")
	for _, node := range nodes {
		exchangePair(t, node)
		o.data[node] = dataOf(t, node, place)
	}

	all := append(slices.Clone(nodes), loadBalancer)
	o.external(t, all...)
	assert.Empty(t, o.Up().Ops("Domain"), "nothing is made")
	assert.Empty(t, o.Up().Ops(""))
	id := o.Output("systemId")
	database := &database{ca: secretFile(t, "ca.crt", o.Output("caCert")), password: options.Secrets["postgresSuperuserPassword"], at: balancer}
	const ofSystem = "SELECT system_identifier FROM pg_control_system()"
	wait(t, "a table", func() error {
		_, err := database.query(primaryPort, "CREATE TABLE IF NOT EXISTS numbers (n bigint PRIMARY KEY)")
		return err
	})
	assert.Equal(t, id, database.must(t, ofSystem))

	leader, _ = settled(t)
	order := slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return node == leader })
	order = append(order, leader)
	left := func(taken int) []string { return append(slices.Clone(order[taken:]), loadBalancer) }
	database.whileWriting(t, func() {
		definition := o.take(t, order[0], left(1)...)
		o.giveBack(t, order[0], definition, place, left(0)...)
		for i, node := range order {
			if i == len(order)-1 {
				now, _ := settled(t)
				assert.Equal(t, node, now, "it has led until now")
			}
			o.take(t, node, left(i+1)...)
			assert.Equal(t, id, o.Output("systemId"))
		}
	})
	database.whileWriting(t, func() {
		o.external(t)
		assert.Contains(t, o.UpFails().Diagnostics, "a load balancer that this package has not made answers at "+fmt.Sprintf("%s:%d", balancer, primaryPort))
		shutDown(t, loadBalancer)
		o.Up()
	})
	assert.Equal(t, id, database.must(t, ofSystem))
	assert.Subset(t, machines(t), append(all, "etcd-1"))

	tf.forget(t)
	assert.Empty(t, o.Up().Ops(""))
}
