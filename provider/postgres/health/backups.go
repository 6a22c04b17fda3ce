package health

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// backups is what quorum-backup on the leader's machine told last.
type backups struct{ wait.Backups }

// slowest is how long WAL may wait for the archive before it is warned of.
const slowest = 15 * time.Minute

// backups says what is missing until there is a backup that was found complete. That there will be
// none, whatever is waited for, is an error.
func (g *gate) backups(ctx context.Context) (missing []string, err error) {
	leader := g.last.holder()
	node := g.named(leader)
	if g.BackupStanza == nil || node == nil || !g.isOfAll() {
		return nil, nil
	}
	told, lacks := wait.BackupsAt(ctx, leader, node.IP)
	if g.StandbyOf != nil {
		return g.ownArchive(leader, told, lacks)
	}
	if lacks != "" { // what it told before may be over
		return []string{leader + ": " + lacks}, nil
	}
	g.backup = backups{told}
	if why := g.backup.InVain(g.waiting); why != "" && g.backup.isOf(*g.BackupStanza, g.BackupID) {
		return nil, fmt.Errorf("%s: %s\nCorrect that, in the program or where the backups are, and run `pulumi up` again: it continues here. See `journalctl -u quorum-backup` on %s", leader, why, node.IP)
	}
	if lacks = g.backup.missing(*g.BackupStanza, g.BackupID); lacks != "" {
		missing = []string{leader + ": " + lacks}
	}
	return missing, nil
}

// isOf reports whether it was told by the leader, with the configuration of an id.
func (b backups) isOf(stanza string, id *string) bool {
	return b.Info["stanza"] == stanza && (id == nil || b.Info["id"] == *id) && b.Values["leader"] == 1 && b.Has("updated_timestamp_seconds")
}

// missing is what is missing until the first backup of a stanza is there and verified, as the
// leader tells with the configuration of an id, and told not long ago.
func (b backups) missing(stanza string, id *string) string {
	failed := b.Failures["backup"].Reason
	switch {
	case b.Stale() != "": // whatever it told then
		return b.Stale()
	case !b.isOf(stanza, id):
		return "it has not looked after its backups yet: systemd starts quorum-backup every two minutes"
	case b.Has("verified_timestamp_seconds"):
		return ""
	case failed != "":
		return "the first backup failed, and is tried again: " + failed
	case b.Has("last_full"):
		return "the first backup is there, and is verified"
	case b.Values["running"] == 1:
		return "makes the first backup"
	}
	return "there is no backup yet"
}

// endOfBackups is what is said, also in previews, when backups are taken out of a program: the
// state alone may know their key.
func endOfBackups(before, now property.Map) string {
	stanza := guard.Text(before.Get("backupStanza"))
	if stanza == "" || !now.Get("backupStanza").IsNull() || !before.Get("standbyOf").IsNull() { // a standby makes none
		return ""
	}
	return fmt.Sprintf("backup is taken out: WAL is no longer archived, and nothing that is written from now on can be restored. What is in stanza %s stays there, and this update deletes its key from the state, unless the program gave it as backup.encryptionKey: keep it first, by `pulumi stack output --show-secrets backupEncryptionKey`. Without it nobody can restore these backups. A backup that is given again later has another key, and another stanza", stanza)
}

// warnOfBackups warns of what is wrong with backups that were made before.
func (g *gate) warnOfBackups(ctx context.Context) {
	guard.Warn(ctx, g.backup.warnings()...)
}

func (b backups) warnings() (texts []string) {
	if b.Machine == "" {
		return nil
	}
	texts = b.Warnings()
	if dropped := b.Time("dropped_timestamp_seconds"); dropped != "" {
		texts = append(texts, fmt.Sprintf("%s: WAL was dropped at %s, since too much waited for S3: what was written since cannot be restored before there is another full backup", b.Machine, dropped))
	}
	if lag := b.Values["archive_lag_seconds"]; lag > slowest.Seconds() {
		texts = append(texts, fmt.Sprintf("%s: WAL has been waiting for the archive for %d minutes", b.Machine, int(lag/60)))
	}
	return texts
}

// times are outputs.
func (b backups) times() map[string]string {
	return b.Times(map[string]string{
		"lastBackup": "last_any", "lastFullBackup": "last_full", "verified": "verified_timestamp_seconds", "lastDrill": "drill_last_success_timestamp_seconds",
		"restorableFrom": "restorable_from_timestamp_seconds", "restorableTo": "restorable_to_timestamp_seconds",
	})
}
