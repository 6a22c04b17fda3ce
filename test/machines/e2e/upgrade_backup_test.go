//go:build e2e

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestMajorUpgradeOfBackedUp upgrades a cluster that has backups, while S3 is away, and goes back: what is archived and backed
// up follows its data both times.
func TestMajorUpgradeOfBackedUp(t *testing.T) {
	service := startS3(t)
	program := func(version, upgrade string) string {
		const backup = "      backup: {s3: \"${s3}\"}\n"
		return strings.NewReplacer("RESTORED\n", "", backup, backup+"      postgres: {version: \""+version+"\"}\n"+upgrade).Replace(backedUp)
	}
	own := []string{"store-1", "source-1", "source-2", "source-lb"}
	b := backups{newStack(t, baked, program("15", ""), own, map[string]string{"sshPublicKey": engine.SSHKey, "s3Endpoint": service.endpoint, "s3Ca": service.ca}), service}
	b.Setenv("FAKE_ROOTFS", besideBookworm(t))
	b.Up()
	b.sql(t, "source", "CREATE TABLE numbers (n int); INSERT INTO numbers SELECT generate_series(1, 100)")
	before := b.stanza(t)

	b.Program(program("17", "      upgrade: {from: \"15\"}\n"))
	b.UpKilled(func(engine.Result) bool { return b.runs(`pg_upgrade --link .*--jobs=\d+ $`) })
	service.stop()
	wait(t, "the nodes to go on without S3 and without an update", func() error {
		_, err := hardware.do("exec", "source-1", "sh", "-c", "grep -qx 17 /var/lib/postgresql/data/PG_VERSION && su postgres -c 'psql -XAtqc \"SELECT 1\"'")
		return err
	})
	service.start()
	b.Unlock()
	assert.Contains(t, b.Up().Diagnostics, "PostgreSQL is upgraded from 15 to 17")
	assert.Equal(t, "100", b.sql(t, "source", "SELECT count(*) FROM numbers"))
	b.archived(t, "source")
	after := b.stanza(t)
	assert.Equal(t, "17", after.version)
	assert.NotEqual(t, before.systemID, after.systemID)
	assert.NotEmpty(t, after.backups, "a full backup of the new data")
	assert.Contains(t, on(t, "source-2", "journalctl", "-u", "patroni", "--no-pager")+on(t, "source-1", "journalctl", "-u", "patroni", "--no-pager"),
		"there is no backup yet; it copies the leader's data instead", "a replica is not made of a backup of the former data")
	assert.Empty(t, b.Up().Ops(""))

	b.sql(t, "source", "INSERT INTO numbers VALUES (101)")
	b.Program(program("17", "      upgrade: {from: \"15\", revert: true}\n"))
	b.Up()
	assert.Equal(t, "100", b.sql(t, "source", "SELECT count(*) FROM numbers"))
	b.archived(t, "source")
	again := b.stanza(t)
	assert.Equal(t, before.systemID, again.systemID)
	assert.NotEmpty(t, again.backups)
	b.Program(program("15", ""))
	b.Up()
	assert.Empty(t, b.Up().Ops(""))
	b.Destroy()
}

// ofStanza is what the repository has of the data that the cluster has now.
type ofStanza struct {
	version, systemID string
	backups           []string
}

func (b backups) stanza(t *testing.T) (s ofStanza) {
	t.Helper()
	var told []struct {
		DB []struct {
			ID       int
			SystemID json.Number `json:"system-id"`
			Version  string
		}
		Backup []struct {
			Label    string
			Database struct{ ID int }
		}
	}
	out := on(t, b.leader(t, "source"), "runuser", "-u", "postgres", "--", "pgbackrest", "--config=/etc/quorum-backup/pgbackrest.conf", "--stanza="+b.Output("stanza"), "--output=json", "info")
	require.NoError(t, json.Unmarshal([]byte(out), &told), out)
	require.Len(t, told, 1, out)
	last := 0
	for _, db := range told[0].DB {
		if db.ID > last {
			last, s.version, s.systemID = db.ID, db.Version, db.SystemID.String()
		}
	}
	for _, backup := range told[0].Backup {
		if backup.Database.ID == last {
			s.backups = append(s.backups, backup.Label)
		}
	}
	return s
}
