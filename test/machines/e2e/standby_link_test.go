//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// farEtcd is the etcd of the other place: that of the source, with a name and an address of its own.
func farEtcd() string {
	_, etcd, _ := strings.Cut(backedUp, "resources:\n")
	etcd, _, _ = strings.Cut(etcd, "  source:\n")
	return strings.NewReplacer("  store:\n", "  far:\n", "store-1", "store-2", "10.77.0.51", "10.77.0.58").Replace(etcd)
}

// TestStandbyLink cuts the link between two places, each of which has machines and an etcd of its own. Both go on; the source is
// not asked to refuse writes, as the standby does not follow it; that is promoted by hand, and neither follows the other when the
// link is back.
func TestStandbyLink(t *testing.T) {
	const same = "      ca: {cert: \"${caCert}\", key: {fn::secret: \"${caKey}\"}}\n"
	program := func(standbyOf string) string {
		far := strings.NewReplacer("RESTORE\n", standbyOf, "      backup: {s3: \"${s3}\"}\n", same+samePasswords, "etcd: ${root}",
			"etcd: {endpoints: \"${far.endpoints}\", caCert: \"${far.caCert}\", username: root, password: \"${far.rootPassword}\"}").Replace(restored)
		text := strings.NewReplacer("      backup: {s3: \"${s3}\"}\n", same, "  s3Endpoint: {type: string}\n  s3Ca: {type: string}\n", "  caCert: {type: string}\n  caKey: {type: string}\n",
			"RESTORED\n", farEtcd()+far).Replace(backedUp)
		before, rest, _ := strings.Cut(text, "  s3:\n")
		_, rest, _ = strings.Cut(rest, "  root:\n")
		text = before + "  root:\n" + rest
		text, _, _ = strings.Cut(text, "\noutputs:\n")
		return text + "\n"
	}
	const of = "      standbyOf: {endpoints: [\"10.77.0.54:5432\"]}\n"
	near := map[string]string{"store-1": "10.77.0.51", "source-1": "10.77.0.52", "source-2": "10.77.0.53", "source-lb": "10.77.0.54"}
	away := map[string]string{"store-2": "10.77.0.58", "restored-1": "10.77.0.55", "restored-lb": "10.77.0.56"}
	b := backups{newStack(t, baked, program(of), []string{"store-1", "source-1", "source-2", "source-lb", "store-2", "restored-1", "restored-lb"},
		map[string]string{"sshPublicKey": engine.SSHKey, "caCert": readPKI(t, "ca.crt"), "caKey": readPKI(t, "ca.key")}), nil}
	link := func(verb string) {
		for here, at := range near {
			for there, to := range away {
				on(t, here, "ip", "route", verb, "blackhole", to)
				on(t, there, "ip", "route", verb, "blackhole", at)
			}
		}
	}
	b.Up()
	b.sql(t, "source", "CREATE TABLE numbers (n int); INSERT INTO numbers SELECT generate_series(1, 100)")
	b.follows(t, "restored-1", "100")

	link("add")
	b.sql(t, "source", "INSERT INTO numbers VALUES (101)")
	b.follows(t, "restored-1", "100")
	assert.Empty(t, b.Up().Ops(""), "a link that is cut is no reason to change anything")

	b.Program(program(""))
	assert.Contains(t, b.Preview().Diagnostics, "The source answers at 10.77.0.54:5432: before, this update has it refuse writes")
	failed := b.UpFails().Diagnostics
	assert.Contains(t, failed, "restored-1: has WAL up to ")
	assert.Contains(t, failed, "of which nothing has come for 2m0s: the source takes writes, and is not asked to refuse them")
	assert.NotContains(t, failed, "refuses writes from now on")
	assert.Equal(t, "t", psql(t, "restored-1", "SELECT pg_is_in_recovery()"), "nothing that was acknowledged is left behind unasked")
	b.sql(t, "source", "INSERT INTO numbers VALUES (103)")
	on(t, "restored-1", "patronictl", "-c", "/etc/patroni/conf.yml", "edit-config", "--force", "--set", "standby_cluster=null") // as it said
	b.Up()
	b.sql(t, "restored", "INSERT INTO numbers VALUES (102)")

	link("del")
	time.Sleep(20 * time.Second) // a standby tries again every 5
	b.follows(t, "restored-1", "101")
	b.follows(t, "source-1", "102")
	assert.Equal(t, "1", b.sql(t, "restored", "SELECT count(*) FROM numbers WHERE n = 102"))
	assert.Equal(t, "0", b.sql(t, "source", "SELECT count(*) FROM numbers WHERE n = 102"))
	assert.Empty(t, b.Up().Ops(""))
	b.Destroy()
}
