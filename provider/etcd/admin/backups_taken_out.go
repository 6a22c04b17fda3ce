package admin

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
)

// endOfBackups is what is said, also in previews, when backups are taken out of a program: the
// state alone may know their key.
func endOfBackups(before, now property.Map) string {
	if guard.Text(before.Get("repository")) == "" || !now.Get("repository").IsNull() {
		return ""
	}
	return "backup is taken out: no more snapshots are made. Those that there are stay where they are, and this update deletes their key from the state, unless the program gave it as backup.encryptionKey: " +
		"keep it first, by `pulumi stack output --show-secrets backupEncryptionKey`. Without it nobody can restore them. A backup that is given again later has another key, and needs another s3.prefix, or the former key as encryptionKey"
}
