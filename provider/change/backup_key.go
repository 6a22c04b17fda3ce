package change

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
)

// The inputs of a cluster's, or a node's, own backups.
const (
	backupInput  = "backup"
	backupKey    = "backup.encryptionKey"
	backupStanza = "backup.stanza"
)

// backupPlace decides where backups lie: a cluster that comes to be restored may have another stanza from then on.
var backupPlace = []string{"backup.s3.endpoint", "backup.s3.bucket", "backup.s3.prefix", backupStanza, "restore.stanza"}

// warnOfAnotherKey says what another key of backups costs where others lie. It shows none.
func warnOfAnotherKey(ctx context.Context, before, now settings) {
	if text := anotherKey(before, now); text != "" {
		p.GetLogger(ctx).Warning(text)
	}
}

// anotherKey is said of a key that the program gave before, where backups go on in the same place. Of one that was
// made, and goes from the state, the last gate of a cluster says more.
func anotherKey(before, now settings) string {
	was, is := before.at(backupKey), now.at(backupKey)
	if !was.given || was.isUnknown() || is.isUnknown() || was.text == is.text || !now.has(backupInput) || now.at(backupInput).isUnknown() {
		return ""
	}
	for _, path := range backupPlace {
		if at := now.at(path); at.isUnknown() || at != before.at(path) {
			return ""
		}
	}
	text := backupKey + " is another one"
	if !is.given {
		text = backupKey + " is taken out, and another key is made"
	}
	text += ", and the backups go on where those are that were written with the former one. "
	if now.has("patroni") {
		return text + "pgBackRest cannot read that repository with it, and refuses to write there: no backup is made, and WAL waits on the disk of the leader, until the former key is given again. " +
			"For another key, give another " + backupStanza + " with it, or another backup.s3.prefix; and keep the former key: without it nobody can restore the backups that there are"
	}
	return text + "restic cannot read that repository with it, and refuses to write there: no snapshot is made until the former key is given again. " +
		"For another key, give another backup.s3.prefix with it; and keep the former key: without it nobody can restore the snapshots that there are"
}
