package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// backupTimes are the outputs that are read from what members tell.
var backupTimes = map[string]string{
	"lastBackup": "last_any", "verified": "verified_timestamp_seconds", "lastDrill": "drill_last_success_timestamp_seconds",
	"restorableFrom": "restorable_from_timestamp_seconds",
}

// backedUp waits until a member tells of a backup whose data were all read, and warns of what is
// wrong with later ones. Any member makes them, and all tell of what is in the repository: what one
// told long ago may be over.
func (a HealthArgs) backedUp(ctx context.Context, s *HealthState) error {
	var told []wait.Backups
	begun := time.Now()
	err := a.waits(healthLimit, func(string) bool { return true }).Until(ctx, func(ctx context.Context) (string, error) {
		var missing []string
		told, missing = a.askBackups(ctx)
		for _, b := range told {
			if a.lacksBackup(b) == "" {
				return "", nil
			}
		}
		if why := a.inVain(told, begun); why != "" {
			return "", errors.New(why)
		}
		return "there is no verified backup yet\n" + strings.Join(missing, "\n"), nil
	})
	if err != nil {
		return fmt.Errorf("backup: %w\nLook at the machines: `journalctl -u quorum-backup`. %s", err, wait.GoesOn(err, "members"))
	}
	told = slices.DeleteFunc(told, func(b wait.Backups) bool { return b.Info["repository"] != *a.Repository })
	for _, b := range told {
		for _, text := range b.Warnings() {
			p.GetLogger(ctx).Warning(text)
		}
	}
	latest := slices.MaxFunc(told, func(a, b wait.Backups) int {
		return cmp.Compare(a.Values["updated_timestamp_seconds"], b.Values["updated_timestamp_seconds"])
	})
	s.BackupTimes = latest.Times(backupTimes)
	return nil
}

// inVain says why no member will make a snapshot unless something is changed, if all of them tell so.
func (a HealthArgs) inVain(told []wait.Backups, since time.Time) (why string) {
	for _, b := range told {
		if why = b.InVain(since); why == "" || !a.isOfBackup(b) {
			return ""
		}
		why = b.Machine + ": " + why
	}
	return why
}

// isOfBackup reports whether a member told it with the configuration that it is to have.
func (a HealthArgs) isOfBackup(b wait.Backups) bool {
	return b.Info["repository"] == *a.Repository && b.Has("updated_timestamp_seconds")
}

// askBackups asks all members what they know of backups, and says what is missing at each.
func (a HealthArgs) askBackups(ctx context.Context) (told []wait.Backups, missing []string) {
	told, missing = make([]wait.Backups, len(a.Members)), make([]string, len(a.Members))
	var all fault.Group
	for i, m := range a.Members {
		all.Go(func() {
			b, why := wait.BackupsAt(ctx, m.Name, m.IP)
			if why == "" {
				why = a.lacksBackup(b)
			}
			told[i], missing[i] = b, m.Name+": "+why
		})
	}
	all.Wait()
	return told, missing
}

// lacksBackup is why a member does not tell of a verified backup, or "".
func (a HealthArgs) lacksBackup(b wait.Backups) string {
	failed := b.Failures["backup"].Reason
	switch {
	case !a.isOfBackup(b):
		return "it has not looked after its backups yet: systemd starts quorum-backup every two minutes"
	case b.Stale() != "":
		return b.Stale()
	case b.Has("verified_timestamp_seconds") && b.Has("last_any"):
		return ""
	case failed != "":
		return "the first backup failed, and is tried again: " + failed
	case b.Values["running"] == 1:
		return "it makes the first backup"
	case b.Has("last_any"):
		return "the first backup is there, and is verified"
	}
	return "another member makes the first backup, or this one if none has after ten minutes"
}
