package health_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBackups has a leader tell of its backups, as quorum-backup writes it.
func TestBackups(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 211, "postgres-1", "postgres-2").up()
	var metrics string
	w.nodes[0].exports(func() (text string) {
		w.change(func() { text = metrics })
		return text
	})
	now := fmt.Sprintf("quorum_backup_updated_timestamp_seconds %d\n", time.Now().Unix())
	const (
		of        = "quorum_backup_info{stanza=\"main\",id=\"4e1d\"} 1\n"
		unstamped = of + "quorum_backup_leader 1\n"
		inVain    = `quorum_backup_failure{of="backup",reason="stanza main is of another cluster",again="false"} 1` + "\n"
		verified  = "quorum_backup_verified_timestamp_seconds 1795654959\n"
		notYet    = "postgres-1: it has not looked after its backups yet"
	)
	leads := unstamped + now
	g := newGate(t, w.inputs("backupStanza", "main", "backupId", "4e1d"))
	g.timeout = 1
	for _, c := range []struct{ told, want string }{
		{"", notYet},
		{strings.Replace(leads, "main", "before", 1) + verified, notYet},
		{strings.Replace(leads, "4e1d", "0000", 1) + verified, notYet},
		{unstamped + verified, notYet},
		{of + now + "quorum_backup_leader 0\n" + verified, notYet},
		{leads, "postgres-1: there is no backup yet"},
		{leads + "quorum_backup_running 1\n", "postgres-1: makes the first backup"},
		{
			leads + `quorum_backup_failure{of="backup",reason="pgbackrest info: S3: NoSuchBucket: it says \"no\""} 1` + "\n",
			`postgres-1: the first backup failed, and is tried again: pgbackrest info: S3: NoSuchBucket: it says "no"`,
		},
		{
			unstamped + inVain + fmt.Sprintf("quorum_backup_updated_timestamp_seconds %d\n", time.Now().Add(-time.Minute).Unix()),
			"postgres-1: the first backup failed, and is tried again: stanza main is of another cluster",
		},
		{
			unstamped + inVain + fmt.Sprintf("quorum_backup_updated_timestamp_seconds %d\n", time.Now().Add(time.Minute).Unix()),
			"postgres-1: the first backup cannot be made: stanza main is of another cluster\nCorrect that",
		},
		{leads + "quorum_backup_last_success_timestamp_seconds{type=\"full\"} 1795654787\n", "postgres-1: the first backup is there, and is verified"},
		{
			unstamped + verified + fmt.Sprintf("quorum_backup_updated_timestamp_seconds %g\n", float64(time.Now().Add(-time.Hour).Unix())),
			"postgres-1: quorum-backup has not looked after the backups for 60 minutes: see `journalctl -u quorum-backup` there",
		},
	} {
		w.change(func() { metrics = c.told })
		require.ErrorContains(t, g.create(false), c.want)
	}
	w.change(func() {
		metrics = leads + verified + "quorum_backup_last_success_timestamp_seconds{type=\"full\"} 1795654787\n" +
			`quorum_backup_failure{of="backup",reason="S3 is away"} 1` + "\nquorum_backup_overdue 1\n"
	})
	require.NoError(t, g.create(false), "a later failure is a warning")
	times := g.state.Get("backupTimes").AsMap()
	assert.Equal(t, "2026-11-26T01:02:39Z", times.Get("verified").AsString())
	assert.Equal(t, "2026-11-26T00:59:47Z", times.Get("lastFullBackup").AsString())
	assert.Equal(t, 2, times.Len())
}
