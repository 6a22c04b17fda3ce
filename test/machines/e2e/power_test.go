//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestBackupPower ends all processes of machines at once, as a loss of power does, while they make a backup, try one and
// restore one: what they were about is done afterwards, and nothing is lost. A node that comes while S3 is away copies
// the leader.
func TestBackupPower(t *testing.T) {
	b := newSite(t)
	b.Up()
	b.sql(t, "source", "CREATE TABLE numbers (n int); INSERT INTO numbers SELECT generate_series(1, 1000)")
	b.archived(t, "source")

	b.snapshotAfter(t, b.cutIn(t, "schedule", "etcd", lostStores, `restic .* backup `))
	b.snapshotAfter(t, b.cutIn(t, "drill", "etcd", lostStores, `restic .* dump `))

	leader := b.leader(t, "source")
	assert.Equal(t, leader, b.cutIn(t, "full", "postgres", lostNodes, `pgbackrest .* backup `))
	other := b.leader(t, "source")
	assert.NotEqual(t, leader, other)
	b.lookUntil(t, "full", other, "is complete")
	machine(t, "reboot", leader)
	wait(t, leader+" follows", func() error {
		if streaming := b.sql(t, "source", "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"); streaming != "1" {
			return errors.New(streaming)
		}
		return nil
	})
	assert.Empty(t, b.Up().Ops(""))
	assert.Equal(t, "1000", b.sql(t, "source", "SELECT count(*) FROM numbers"))
	assert.Equal(t, leader, b.cutIn(t, "drill", "postgres", lostNodes, `postgres .*quorum-backup/drill`))
	machine(t, "reboot", leader)
	b.lookUntil(t, "drill", leader, "is good")
	on(t, leader, "python3", "-c", `import json, os
assert not os.path.exists(json.load(open("/etc/quorum-backup/backup.json"))["directory"] + "/drill")`)

	b.sql(t, "source", "INSERT INTO numbers SELECT generate_series(1001, 1010)")
	b.archived(t, "source")
	b.snapshot(t)
	b.isLost(t)
	cuts := []string{`restic .* dump `, `pgbackrest .* restore `}
	r, _ := b.TryUntil(40*time.Minute, func(engine.Result) bool {
		if len(cuts) > 0 && b.runs(cuts[0]) {
			name := b.cut(t, cuts[0], slices.Concat(lostStores, lostNodes))
			machine(t, "reboot", name)
			t.Log(cuts[0] + "ran on " + name)
			cuts = cuts[1:]
		}
		return false
	}, nil, "up", "--refresh")
	require.NoError(t, r.Err, r.Stdout)
	assert.Empty(t, cuts, "none ran")
	assert.Equal(t, "1010", b.sql(t, "source", "SELECT count(*) FROM numbers"))
	b.Program(siteProgram("", ""))
	b.Up()

	b.s3.stop()
	leader = b.leader(t, "source")
	other = lostNodes[0]
	if other == leader {
		other = lostNodes[1]
	}
	require.NoError(t, hardware.lose(b.Stack, other))
	assert.Contains(t, b.Up("--refresh").Diagnostics, "S3")
	assert.Contains(t, on(t, other, "journalctl", "--unit=patroni", "--output=cat"), "it copies the leader's data instead")
	b.sql(t, "source", "INSERT INTO numbers VALUES (1011)")
	b.s3.start()
	b.archived(t, "source")
	assert.Empty(t, b.Up().Ops(""))
	b.Destroy()
}

// now writes the settings of backups for which something of them is due all the time.
func (b backups) now(t *testing.T, what, name string) {
	t.Helper()
	on(t, name, "sh", "-c", fmt.Sprintf(`sed 's/"%s": "[^"]*"/"%[1]s": "*-*-* *:*:*"/' /etc/quorum-backup/backup.json >/tmp/now.json && chmod 644 /tmp/now.json`, what))
}

// cutIn has machines look after their backups, as timers do, which are stopped until the next boot, and cuts the power
// of the one that finds that something is due, in the midst of it.
func (b backups) cutIn(t *testing.T, what, user string, names []string, program string) string {
	t.Helper()
	wait(t, program, func() error {
		for _, name := range names {
			b.now(t, what, name)
			on(t, name, "systemctl", "stop", "quorum-backup.timer", "quorum-backup.service")
			on(t, name, "sh", "-c", "systemctl is-active --quiet look-now || systemd-run --quiet --collect --unit=look-now --property=User="+user+" /usr/local/lib/quorum/quorum-backup look /tmp/now.json")
		}
		said := ""
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if b.runs(program) {
				return nil
			}
		}
		for _, name := range names {
			said += on(t, name, "journalctl", "--unit=look-now", "--lines=5", "--output=cat")
		}
		return errors.New("it does not run: " + said)
	})
	return b.cut(t, program, names)
}

// lookUntil repeats a look of a node until it says something.
func (b backups) lookUntil(t *testing.T, what, node, says string) {
	t.Helper()
	wait(t, says, func() error {
		b.now(t, what, node)
		said, err := hardware.do("exec", node, "setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "/usr/local/lib/quorum/quorum-backup", "look", "/tmp/now.json")
		if !strings.Contains(said, says) {
			return fmt.Errorf("%s (%v)", said, err)
		}
		return nil
	})
}

// snapshotAfter makes a snapshot when a member has power again.
func (b backups) snapshotAfter(t *testing.T, member string) {
	t.Helper()
	machine(t, "reboot", member)
	wait(t, "etcd of "+member, func() error {
		_, err := hardware.do("exec", member, "systemctl", "is-active", "etcd.service")
		return err
	})
	b.snapshot(t)
}

// runs tells whether a program runs on any machine. Containers show theirs here.
func (backups) runs(program string) bool {
	pattern := regexp.MustCompile(program)
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		if text, err := os.ReadFile(path); err == nil && pattern.MatchString(strings.ReplaceAll(string(text), "\x00", " ")) {
			return true
		}
	}
	return false
}

// cut stops S3, so that a program that runs does not end, and cuts the power of its machine.
func (b backups) cut(t *testing.T, program string, names []string) (name string) {
	t.Helper()
	require.NoError(t, b.s3.command.Process.Signal(syscall.SIGSTOP))
	defer func() { require.NoError(t, b.s3.command.Process.Signal(syscall.SIGCONT)) }()
	wait(t, program, func() error {
		for _, name = range names {
			if _, err := hardware.do("exec", name, "pgrep", "--full", program); err == nil {
				return nil
			}
		}
		return errors.New("it runs no more")
	})
	machine(t, "off", name)
	return name
}
