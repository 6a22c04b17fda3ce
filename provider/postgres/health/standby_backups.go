package health

import (
	"errors"
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// ownArchive requires nobody else's backups to have the name of those that a standby cluster will make: it has the system
// identifier of its source, so that both would write into one archive after a promotion. The cluster archives nothing yet:
// what is there is another one's. Only its first update stops for that, since a later one may be needed for something else.
func (g *gate) ownArchive(leader string, told wait.Backups, lacks string) (missing []string, err error) {
	first, b := g.old.SystemID == "", backups{told}
	_, failed := told.Failures["backup"] // as where S3 is away, which is no reason to stop
	switch {
	case b.Info["stanza"] == *g.BackupStanza && b.Has("last_full"):
		text := fmt.Sprintf("%s: backup.stanza %s has backups of the source, or of another cluster: give this one a stanza of its own, in which it archives WAL from its promotion on", leader, *g.BackupStanza)
		if first {
			return nil, errors.New(text)
		}
		g.taken = text
	case first && lacks != "":
		return []string{leader + ": " + lacks}, nil
	case first && !failed && !b.Has("updated_timestamp_seconds"):
		return []string{leader + ": it has not looked yet whether backup.stanza is free: systemd starts quorum-backup every two minutes"}, nil
	}
	return nil, nil
}
