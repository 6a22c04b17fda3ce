package guard

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// KeyGiven is what is said, also in previews, when a program gives another key for backups than
// the one that was made for it, which the state alone may know. The input named id tells of the
// backups' keys; anew is the input that a new key needs a new value of.
func KeyGiven(before, now property.Map, id, anew string) string {
	was := Text(before.Get(id))
	if was == "" || now.Get(id).IsNull() || was == Text(now.Get(id)) || isTrue(before) || !isTrue(now) {
		return ""
	}
	return "backup.encryptionKey is given: this update deletes the key that was made from the state, and without it nobody can restore the backups that there are. " +
		"Keep it first, by `pulumi stack output --show-secrets backupEncryptionKey`. A new key needs another " + anew + " with it"
}

func isTrue(of property.Map) bool {
	given := of.Get("encryptionKeyGiven")
	return given.IsBool() && given.AsBool()
}
