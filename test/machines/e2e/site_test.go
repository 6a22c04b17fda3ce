//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// lostStores and lostNodes are those of the site, on virtual machines as few as have disks to lose.
var lostStores, lostNodes = []string{"store-1", "store-2", "store-3"}, []string{"source-1", "source-2"}

// zoned is what applications keep in etcd: a zone, and a user who reads it.
const zoned = `  reader:
    type: quorum:EtcdRole
    properties: {etcd: "${root}", permissions: [{prefix: /zones/, permission: read}]}
  resolver:
    type: quorum:EtcdUser
    properties: {etcd: "${root}", password: {fn::secret: password-of-the-resolver}, roles: ["${reader.name}"]}
  zone:
    type: quorum:DnsZone
    properties: {etcd: "${root}", domain: example.org, nameservers: [ns], records: {a: [{name: ns, addresses: [10.77.0.21]}]}}
`

// siteProgram is both clusters with their backups, and what each is restored from.
func siteProgram(etcd, postgres string) string {
	const data = "dataVolume: {pool: quorum, size: 1073741824},"
	replication := ""
	if len(lostNodes) == 1 {
		replication = "isSynchronous: false, "
	}
	return strings.NewReplacer(
		"      RESTORE\n", etcd, "MEMBERS", manyMachines(lostStores, 51, data), "NODES", manyMachines(lostNodes, 54, data), "BALANCERS", manyMachines([]string{"source-lb"}, 56, ""),
		"isSynchronous: false, ", replication, "      nodes: ", "      backup: {s3: \"${ofPostgres}\"}\n"+postgres+"      nodes: ",
		"outputs:\n", zoned+"outputs:\n  endpoints: ${store.endpoints}\n  caCert: ${store.caCert}\n",
		"resources:\n", "  root: {endpoints: \"${store.endpoints}\", caCert: \"${store.caCert}\", username: root, password: \"${store.rootPassword}\"}\nresources:\n",
		"  rootPassword: ", "  stanza: ${source.backupStanza}\n  postgresKey: ${source.backupEncryptionKey}\n  rootPassword: ",
	).Replace(storeBackedUp)
}

func newSite(t *testing.T) backups {
	t.Helper()
	service := startS3(t)
	own := slices.Concat([]string{"source-lb"}, lostStores, lostNodes)
	return backups{newStack(t, baked, siteProgram("", ""), own, map[string]string{"sshPublicKey": engine.SSHKey, "s3Endpoint": service.endpoint, "s3Ca": service.ca}), service}
}

// isLost takes all machines of both clusters away with their volumes, and has the program bring them back.
// The load balancer has no data to lose.
func (b backups) isLost(t *testing.T) {
	t.Helper()
	etcdKey, postgresKey, stanza := b.Output("key"), b.Output("postgresKey"), b.Output("stanza")
	for _, name := range slices.Concat(lostStores, lostNodes) {
		require.NoError(t, hardware.lose(b.Stack, name))
	}
	b.Program(siteProgram(
		fmt.Sprintf("      restore: {s3: \"${s3}\", encryptionKey: {fn::secret: %s}}\n", etcdKey),
		fmt.Sprintf("      restore: {s3: \"${ofPostgres}\", stanza: %s, encryptionKey: {fn::secret: %s}}\n", stanza, postgresKey),
	))
}

// TestSite loses all machines of both clusters with all of their volumes. A program that differs
// by `restore` only brings everything back in one update.
func TestSite(t *testing.T) {
	b := newSite(t)
	b.Up()
	b.sql(t, "source", "CREATE TABLE numbers (n int); INSERT INTO numbers SELECT generate_series(1, 1000)")
	b.archived(t, "source")
	login := func(user string) client {
		return newClient(endpoints(b.Stack), secretFile(t, "etcd-ca.crt", b.Output("caCert")), "--user="+user)
	}
	zone := func() string { return login("resolver:password-of-the-resolver").run(t, "get", "--prefix", "/zones/") }
	root := login("root:" + b.Output("rootPassword"))
	root.run(t, "user", "add", "by-hand:password-by-hand")
	records := zone()
	assert.Contains(t, records, "10.77.0.21")
	b.snapshot(t)
	stanza := b.Output("stanza")
	// What is written now is in no file of WAL that is full: a clean stop archives it.
	b.sql(t, "source", "INSERT INTO numbers SELECT generate_series(1001, 1010)")
	leader := b.leader(t, "source")
	for _, name := range lostNodes {
		if name != leader {
			on(t, name, "systemctl", "stop", "patroni")
		}
	}
	on(t, leader, "systemctl", "stop", "patroni")
	b.isLost(t)
	b.Up("--refresh")
	assert.Equal(t, records, zone())
	login("by-hand:password-by-hand").refused(t, "permission denied")
	assert.Equal(t, "1010", b.sql(t, "source", "SELECT count(*) FROM numbers"), "nothing is lost")
	b.sql(t, "source", "INSERT INTO numbers VALUES (1011)")
	assert.NotEqual(t, stanza, b.Output("stanza"))
	b.Program(siteProgram("", ""))
	b.Up()
	assert.Empty(t, b.Up().Ops(""))
	assert.Equal(t, "1011", b.sql(t, "source", "SELECT count(*) FROM numbers"))
	b.Destroy()
}
