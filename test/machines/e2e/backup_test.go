//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// backups are a cluster with backups, and the S3 service that has them.
type backups struct {
	*engine.Stack
	s3 *s3
}

// TestBackup makes backups on machines, loses a table, and gets it back in a cluster beside.
func TestBackup(t *testing.T) {
	service := startS3(t)
	program := func(more, restore string) string {
		return strings.Replace(backedUp, "RESTORED\n", strings.Replace(more, "RESTORE\n", restore, 1), 1)
	}
	own := []string{"store-1", "source-1", "source-2", "source-lb", "restored-1", "restored-lb", "empty-1", "empty-lb"}
	without := strings.Replace(program("", ""), "      backup: {s3: \"${s3}\"}\n", "", 1)
	without = without[:strings.Index(without, "outputs:")]
	b := backups{newStack(t, baked, without, own, map[string]string{"sshPublicKey": engine.SSHKey, "s3Endpoint": service.endpoint, "s3Ca": service.ca}), service}
	b.Up()
	b.Program(program("", "")) // PostgreSQL restarts in turn, and archives from then on
	b.Up()
	times, _ := b.Outputs()["times"].(map[string]any)
	for _, name := range []string{"lastBackup", "lastFullBackup", "verified", "restorableFrom"} {
		assert.NotEmpty(t, times[name], "%s of %v", name, times)
	}
	assert.Regexp(t, `^source-[0-9a-f]{8}$`, b.Output("stanza"))
	assert.Empty(t, b.Up().Ops(""))
	for _, name := range []string{"source-1", "source-2"} {
		keepsSecrets(t, name, b.Output("key"), "/etc/quorum-backup/pgbackrest.conf")
		keepsSecrets(t, name, s3Secret, "/etc/quorum-backup/pgbackrest.conf")
	}

	b.sql(t, "source", "CREATE DATABASE shop")
	b.in(t, "source", "shop", "CREATE TABLE orders (n int); INSERT INTO orders SELECT generate_series(1, 100)")
	before := b.sql(t, "source", "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
	b.in(t, "source", "shop", "INSERT INTO orders VALUES (101); DROP TABLE orders")
	b.archived(t, "source")
	b.drilled(t, "source")

	restore := "      restore: {s3: \"${s3}\", stanza: \"" + b.Output("stanza") + "\", encryptionKey: \"${source.backupEncryptionKey}\", target: {time: \"" + before + "\"}}\n"
	b.Program(program(restored, restore))
	began := time.Now()
	b.Up()
	took := time.Since(began)
	assert.Equal(t, "100", b.in(t, "restored", "shop", "SELECT count(*) FROM orders"))
	b.copies(t)
	assert.Equal(t, "100", b.in(t, "source", "shop", "SELECT count(*) FROM orders"))
	if file := os.Getenv("QUORUM_BENCH"); file != "" {
		empty := strings.NewReplacer("RESTORE\n", "", "restored", "empty", "10.77.0.55", "10.77.0.57", "10.77.0.56", "10.77.0.58").Replace(restored)
		b.Program(program(restored+empty, restore))
		began = time.Now()
		b.Up()
		text := fmt.Sprintf(`{"restored": %.0f, "empty": %.0f}`, took.Seconds(), time.Since(began).Seconds())
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	b.Program(program(restored, ""))
	started := on(t, "restored-1", "systemctl", "show", "--property=InvocationID", "patroni")
	for _, op := range b.Up().Ops("") {
		assert.NotRegexp(t, "replace .*(volume|domain)", op)
	}
	assert.Equal(t, started, on(t, "restored-1", "systemctl", "show", "--property=InvocationID", "patroni"), "nothing restarts")
	assert.Empty(t, b.Up().Ops(""))

	on(t, b.leader(t, "source"), "systemctl", "restart", "patroni")
	b.sql(t, "source", "CREATE TABLE more (n int)")
	b.archived(t, "source")
	b.keepsApart(t, program(strings.Replace(restored, "\"${s3}\"}", "\"${s3}\", stanza: \"${source.backupStanza}\", encryptionKey: \"${source.backupEncryptionKey}\"}", 1), ""), program(restored, ""))
	b.Destroy()
}

// keepsApart has a restored cluster, which has the history of its source, be given the source's
// stanza: it tells so, writes nothing into it, and goes on with its own.
func (b backups) keepsApart(t *testing.T, sources, own string) {
	t.Helper()
	b.archived(t, "restored")
	b.Program(sources)
	assert.Contains(t, b.UpFails().Diagnostics, "is the one that this cluster was restored from")
	b.sql(t, "restored", "CREATE TABLE other (n int); SELECT pg_switch_wal()")
	wait(t, "a refusal", func() error {
		if failed := b.sql(t, "restored", "SELECT failed_count FROM pg_stat_archiver"); failed == "0" {
			return errors.New("nothing was refused")
		}
		return nil
	})
	b.archived(t, "source")
	b.Program(own)
	b.Up()
	b.archived(t, "restored")
	b.drilled(t, "restored")
}

// archived waits until all that a cluster has written is in the repository.
func (b backups) archived(t *testing.T, cluster string) {
	t.Helper()
	// Where nothing was written since the last one there is nothing to switch.
	wal := b.sql(t, cluster, "CHECKPOINT; SELECT pg_walfile_name(pg_switch_wal())")
	wait(t, "the archive of "+cluster, func() error {
		if last := b.sql(t, cluster, "SELECT last_archived_wal FROM pg_stat_archiver"); last < wal {
			return fmt.Errorf("%s is not archived yet, and %s is", wal, last)
		}
		return nil
	})
}

// leader is the node of a cluster that leads.
func (b backups) leader(t *testing.T, cluster string) (name string) {
	t.Helper()
	wait(t, "a leader of "+cluster, func() error {
		for _, node := range []string{cluster + "-1", cluster + "-2"} {
			out, err := hardware.do("exec", node, "su", "postgres", "-c", "psql -XAtqc 'SELECT pg_is_in_recovery()'")
			if name = node; err == nil && strings.TrimSpace(out) == "f" {
				return nil
			}
		}
		return errors.New("no node leads")
	})
	return name
}

func (b backups) sql(t *testing.T, cluster, statement string) string {
	t.Helper()
	return b.in(t, cluster, "postgres", statement)
}

// in runs a statement in a database.
func (b backups) in(t *testing.T, cluster, database, statement string) string {
	t.Helper()
	leader := b.leader(t, cluster)
	out, err := hardware.do("exec", leader, "su", "postgres", "-c", fmt.Sprintf(`psql -XAtq -v ON_ERROR_STOP=1 -d %s -c "%s"`, database, strings.ReplaceAll(statement, `"`, `\"`)))
	require.NoError(t, err)
	return strings.TrimSpace(out)
}

var copying = regexp.MustCompile(`(?m)^   (ssh ubuntu@\$(?:rescue|leader) .*)$`)

// copies gets a table back by the commands of the page.
func (b backups) copies(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(engine.Root(), "docs", "backup.md"))
	require.NoError(t, err)
	script := fmt.Sprintf("ssh() { name=${1#ubuntu@}; shift; %s machine exec \"$name\" sh -c \"$*\"; }\nrescue=restored-1 leader=%s\n", program, b.leader(t, "source"))
	commands := copying.FindAllStringSubmatch(string(page), -1)
	require.Len(t, commands, 3)
	for _, command := range commands {
		script += command[1] + "\n"
	}
	bash := exec.Command("bash", "-euc", script)
	bash.Dir = t.TempDir()
	said, err := bash.CombinedOutput()
	require.NoError(t, err, string(said))
}

// drilled waits for a drill, which a standby makes once there is a backup.
func (b backups) drilled(t *testing.T, cluster string) {
	t.Helper()
	wait(t, "a drill of "+cluster, func() error {
		for _, node := range []string{cluster + "-1", cluster + "-2"} {
			told, err := hardware.do("exec", node, "cat", "/var/lib/prometheus/node-exporter/quorum-backup.prom")
			if err == nil && strings.Contains(told, "quorum_backup_drill_last_success_timestamp_seconds") {
				return nil
			}
		}
		return errors.New("there was no drill yet")
	})
}
