package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// restored begins the id of a recovery that is the founding of a cluster from a snapshot. The
// rest is the moment of the decision.
const restored = "restore-"

// isRestoration reports whether the cluster of a recovery is another one than before.
func isRestoration(recovery *string) bool { return strings.HasPrefix(ptr.Value(recovery), restored) }

// ChosenAt is the moment of the decision, as backups have it.
func ChosenAt(recovery string) string {
	at, err := time.Parse(restored+decided, recovery)
	if err != nil {
		return ""
	}
	return at.Format(time.RFC3339)
}

// restore gives an id to the founding from a snapshot, unless there is a cluster.
func (s *RecoveryState) restore(ctx context.Context, preview bool) error {
	text := "restore: this update founds the cluster from a snapshot"
	if about := ptr.Value(s.AboutRestore); about != "" { // in a preview, it may be unknown
		text += ": " + about
	}
	if preview {
		p.GetLogger(ctx).Warning(text + ". It is refused if a member has data")
		return nil
	}
	if ptr.Value(s.SkipHealthChecks) {
		if err := skipped(ctx); err != nil {
			return err
		}
	} else if err := s.isBlank(ctx); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	p.GetLogger(ctx).Warning(text)
	s.Recovery = restored + time.Now().UTC().Format(decided)
	return nil
}

// restoring are the members that found the cluster from a snapshot, if they do.
func (a HealthArgs) restoring() []HealthMember {
	if !isRestoration(a.Recovery) {
		return nil
	}
	return a.Members
}

// restoring says why members cannot restore a snapshot, as they tell it.
func restoring(ctx context.Context, members []HealthMember) (lines []string) {
	told := make([]string, len(members))
	sideBySide(len(members), func(i int) {
		if b, missing := wait.BackupsAt(context.WithoutCancel(ctx), members[i].Name, members[i].IP); missing == "" { // which has a bound of its own
			told[i] = b.Failures["restore"].Reason
		}
	})
	for i, m := range members {
		if told[i] != "" {
			lines = append(lines, m.Name+": the restore fails, and is tried again: "+told[i])
		}
	}
	return lines
}

// isBlank requires that no member that answers has data.
func (s *RecoveryState) isBlank(ctx context.Context) error {
	reports, err := reportsOf(ctx, s.Etcd, s.Members)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(reports.all, memberReport.hasData)
	if at < 0 {
		return nil
	}
	has := reports.all[at]
	return fmt.Errorf("%s %s: the cluster exists, and is founded from a snapshot only while none of its members has data. Remove restore. "+
		"To go back to a snapshot, found another cluster beside this one, or destroy this one first: see docs/etcd-backup.md", has.name, has.condition())
}
