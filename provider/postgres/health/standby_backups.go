package health

import (
	"errors"
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// ownArchive requires nobody else's backups to have the name of those that a standby cluster will make: it has the system
// identifier of its source, so that both would write into one archive after a promotion. The cluster archives nothing yet:
// what is there is another one's. It is a warning once the name was found to be free, since updates may be needed for
// something else.
func (g *gate) ownArchive(leader string, told wait.Backups, lacks string) (missing []string, err error) {
	found := ptr.Value(g.old.FreeStanza) == *g.BackupStanza
	if found {
		g.freeStanza = g.BackupStanza
	}
	text := fmt.Sprintf("%s: backup.stanza %s has backups or WAL of the source, or of another cluster: give this one a stanza of its own, in which it archives WAL from its promotion on", leader, *g.BackupStanza)
	_, failed := told.Failures["backup"]
	known := lacks == "" && told.Info["stanza"] == *g.BackupStanza && told.Has(inUse)
	switch {
	case known && told.Values[inUse] == 0:
		g.freeStanza = g.BackupStanza
	case known && found:
		g.ofArchive = text
	case known && told.LookedSince(g.waiting):
		return nil, errors.New(text)
	case found:
	case lacks != "":
		return []string{leader + ": " + lacks}, nil
	case !failed || known: // or it is of an earlier look, and may be mended
		return []string{leader + ": it has not looked yet whether backup.stanza is free: systemd starts quorum-backup every two minutes"}, nil
	default: // S3 is away, which is no reason to stop
		g.ofArchive = leader + ": whether backup.stanza is free could not be seen: " + told.Failures["backup"].Reason
	}
	return nil, nil
}

// inUse is the metric of whether a stanza has backups or WAL, whoever's.
const inUse = "in_use"
