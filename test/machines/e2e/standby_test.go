//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// second is another node of the restored cluster.
const second = `        - name: restored-2
          libvirt:
            memory: 1024
            volume: ${volume}
            dataVolume: {pool: quorum, size: 2147483648}
            cloudInitVolumePool: quorum
            networks: [{networkName: quorum, ip: 10.77.0.57, prefixLength: 24, gateway: 10.77.0.1}]
`

const samePasswords = "      postgres: {superuserPassword: \"${source.superuserPassword}\", replicatorPassword: \"${source.replicatorPassword}\"}\n"

// TestStandbyOfBackup has a cluster follow another one by its backups alone, gain a node and take over when that one is gone.
func TestStandbyOfBackup(t *testing.T) {
	service := startS3(t)
	program := func(standbyOf, stanza, more string) string {
		beside := strings.NewReplacer(
			"RESTORE\n", standbyOf, "      loadBalancers:\n", more+"      loadBalancers:\n",
			"      backup: {s3: \"${s3}\"}\n", fmt.Sprintf("      backup: {s3: \"${s3}\"%s}\n%s", stanza, samePasswords),
		).Replace(restored)
		return strings.Replace(backedUp, "RESTORED\n", beside, 1)
	}
	own := []string{"store-1", "source-1", "source-2", "source-lb", "restored-1", "restored-2", "restored-lb"}
	b := backups{newStack(t, baked, strings.Replace(backedUp, "RESTORED\n", "", 1), own, map[string]string{"sshPublicKey": engine.SSHKey, "s3Endpoint": service.endpoint, "s3Ca": service.ca}), service}
	b.Up()
	b.sql(t, "source", "CREATE TABLE numbers (n int); INSERT INTO numbers SELECT generate_series(1, 100)")
	b.archived(t, "source")
	const of = "      standbyOf: {backup: {s3: \"${s3}\", stanza: \"${source.backupStanza}\", encryptionKey: \"${source.backupEncryptionKey}\"}}\n"
	b.Program(program(of, `, stanza: "${source.backupStanza}"`, ""))
	assert.Contains(t, b.UpFails().Diagnostics, "standbyOf.backup.stanza: must be that of the source")

	b.Program(program(of, "", ""))
	assert.Contains(t, b.Up().Diagnostics, "standby of the backups of source-")
	b.follows(t, "restored-1", "100")
	b.sql(t, "source", "INSERT INTO numbers SELECT generate_series(101, 110)")
	b.archived(t, "source")
	b.follows(t, "restored-1", "110")
	assert.Empty(t, b.Up().Ops(""))
	keepsSecrets(t, "restored-1", b.Output("key"), "/etc/quorum-backup/source.conf")
	keepsSecrets(t, "restored-1", s3Secret, "/etc/quorum-backup/source.conf", "/etc/quorum-backup/pgbackrest.conf")

	for _, name := range []string{"source-1", "source-2", "source-lb"} {
		machine(t, "off", name)
	}
	service.stop()
	on(t, "restored-1", "systemctl", "restart", "patroni")
	b.follows(t, "restored-1", "110")
	b.Program(program(of, "", second))
	b.Up() // the new node copies the leader
	b.follows(t, "restored-2", "110")
	service.start()

	b.Program(program("", "", second))
	assert.Contains(t, b.Preview().Diagnostics, "promotion: standbyOf is taken out")
	b.Up()
	b.sql(t, "restored", "INSERT INTO numbers VALUES (111)")
	b.follows(t, "restored-2", "111")
	b.archived(t, "restored")
	assert.Empty(t, b.Up().Ops(""))
	b.Destroy()
}

// follows waits until a node has so many rows.
func (backups) follows(t *testing.T, node, rows string) {
	t.Helper()
	wait(t, node+" has all rows", func() error {
		out, err := hardware.do("exec", node, "su", "postgres", "-c", "psql -XAtqc 'SELECT count(*) FROM numbers'")
		if err == nil && strings.TrimSpace(out) != rows {
			err = errors.New(out)
		}
		return err
	})
}
