package health

import (
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// TestStaleBackups does not believe what quorum-backup told long ago.
func TestStaleBackups(t *testing.T) {
	t.Parallel()
	const (
		leads    = "quorum_backup_info{stanza=\"main\",id=\"4e1d\"} 1\nquorum_backup_leader 1\n"
		verified = leads + "quorum_backup_verified_timestamp_seconds 1.795654959e+09\n"
		looked   = "quorum_backup_updated_timestamp_seconds 1.795654959e+09\n"
		stale    = "quorum-backup has not looked after the backups for 11 minutes: see `journalctl -u quorum-backup` there"
	)
	at := time.Unix(1795654959, 0)
	for _, c := range []struct {
		told     string
		after    time.Duration
		missing  string
		warnings []string
	}{
		{told: leads + looked, after: 9 * time.Minute, missing: "there is no backup yet"},
		{told: leads + looked, after: 11 * time.Minute, missing: stale, warnings: []string{stale}},
		{told: leads + looked + "quorum_backup_running 1\n", after: 5 * time.Hour, missing: "makes the first backup"},
		{told: strings.Replace(leads, "leader 1", "leader 0", 1) + looked, after: 11 * time.Minute, missing: stale, warnings: []string{stale}},
		{told: verified + looked, after: 9 * time.Minute},
		{told: verified + looked + "quorum_backup_running 1\n", after: 5 * time.Hour},
		{told: verified + looked, after: 11 * time.Minute, missing: stale, warnings: []string{stale}},
		{told: verified + looked + "node_time_seconds 1.7956553491e+09\n", after: 11 * time.Minute}, // our clock is ahead
		{told: verified + looked + "node_time_seconds 1.7956556191e+09\n", after: -time.Hour, missing: stale, warnings: []string{stale}},
		{
			told: verified + looked + "quorum_backup_archive_lag_seconds 1.20000e+06\n", after: 0,
			warnings: []string{"WAL has been waiting for the archive for 20000 minutes"},
		},
	} {
		b := backups{wait.ReadBackups("postgres-1", strings.Split(c.told, "\n"), at.Add(c.after))}
		id := "4e1d"
		assert.Equal(t, c.missing, b.missing("main", &id), c.told)
		var warnings []string
		for _, text := range b.warnings() {
			warnings = append(warnings, strings.TrimPrefix(text, "postgres-1: "))
		}
		assert.Equal(t, c.warnings, warnings, c.told)
	}
}

// TestEndOfBackups names what is to be kept, and says nothing of backups that go on.
func TestEndOfBackups(t *testing.T) {
	t.Parallel()
	with := func(stanza property.Value) property.Map {
		return property.NewMap(map[string]property.Value{"backupStanza": stanza})
	}
	was, none := with(property.New("main-5f2c91aa")), property.Map{}
	assert.Contains(t, endOfBackups(was, none), "stanza main-5f2c91aa stays there, and this update deletes its key")
	for _, now := range []property.Map{was, with(property.New("another")), with(property.New(property.Computed))} {
		assert.Empty(t, endOfBackups(was, now))
	}
	assert.Empty(t, endOfBackups(none, none))
	assert.Empty(t, endOfBackups(none, was))
}
