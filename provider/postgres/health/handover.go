package health

import (
	"context"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

const (
	// askFor is how long a source that lives is asked again to refuse writes.
	askFor = 2 * time.Minute
	// standstill is after how long without WAL a standby that does not stream is taken for one that gets no more.
	standstill = time.Minute
)

// handover has the source of a standby cluster refuse writes before that is promoted, and the standby get all that was written.
type handover struct {
	source *admin.Connection // nil if it is not asked
	since  time.Time         // it is asked
	fenced admin.Fenced
	has    int64     // WAL of the standby
	grew   time.Time // that
	done   bool
}

// handsOver is the handover of a promotion: to where the source was, as who this cluster is now.
func (a HealthArgs) handsOver(before HealthState) (h handover) {
	if before.Source == nil || *a.SkipHealthChecks {
		return h
	}
	source := *before.Source
	source.CACert, source.ClientCert, source.ClientKey = a.CACert, &a.ClientCert, &a.ClientKey
	return handover{source: &source, since: time.Now()}
}

// asks reports whether there is something to ask the source for still.
func (h *handover) asks() bool { return h.source != nil && !h.done }

// hasAll says what is missing until the leader of the standby has all that was written at the source. A source that does not
// answer can be asked for nothing, and a leader that gets no more has no more. ready says what keeps the standby from being
// promoted at once.
func (h *handover) hasAll(ctx context.Context, v view, ready func(context.Context, view) string) (missing string, err error) {
	leader := v.holder()
	a, asked := v.answers[leader]
	if !asked || a.err != nil {
		return leader + ": is the leader, and does not answer", nil
	}
	if h.fenced.At == "" {
		if missing := ready(ctx, v); missing != "" {
			return missing, nil
		}
		return h.fence(ctx, a)
	}
	has := a.received()
	if has > h.has {
		h.has, h.grew = has, time.Now()
	}
	switch {
	case has >= h.fenced.UpTo && a.Timeline == h.fenced.Timeline:
		h.done = true
	case a.ReplicationState != streaming && time.Since(h.grew) > standstill:
		p.GetLogger(ctx).Warningf("%s gets no more from the source, and lacks what was written there from %s to %s", leader, lsn(has), lsn(h.fenced.UpTo))
		h.done = true
	default:
		return fmt.Sprintf("%s: has WAL up to %s, and the source up to %s", leader, lsn(has), lsn(h.fenced.UpTo)), nil
	}
	return "", nil
}

// fence asks the source, which lives if the standby streams, or if it says anything.
func (h *handover) fence(ctx context.Context, a answer) (missing string, err error) {
	fenced, err := h.source.Fence(ctx, a.SystemID)
	lives := a.ReplicationState == streaming || !admin.IsAway(err)
	switch {
	case err == nil:
		h.fenced, h.grew = fenced, time.Now()
		p.GetLogger(ctx).Infof("the source, at %s, refuses writes from now on, and has WAL up to %s", fenced.At, lsn(fenced.UpTo))
		return "the source refuses writes; what it has written is yet to come", nil
	case lives && time.Since(h.since) < askFor:
		return "the source has yet to refuse writes: " + err.Error(), nil
	case lives:
		return "", fmt.Errorf("the source lives, and does not refuse writes: %w. To promote the cluster nevertheless, see that nobody writes there, and set skipHealthChecks for this update", err)
	}
	p.GetLogger(ctx).Warningf("the source was not asked to refuse writes: %s", err)
	h.done = true
	return "", nil
}

// wayBack says how the source takes writes again.
func (h *handover) wayBack() string {
	return fmt.Sprintf("The source, at %s, refuses writes. To promote without what it has beyond this cluster, set skipHealthChecks for one update; to go back to it, put standbyOf back, and on its leader: "+
		admin.Unfence, h.fenced.At)
}

// tellsOfSource says what a promotion does there.
func (h *handover) tellsOfSource(ctx context.Context) string {
	if h.source == nil {
		return " The source is not asked to refuse writes: see to it that nobody writes there."
	}
	at, err := h.source.Leader(ctx)
	if err != nil {
		return " From here the source cannot be asked to refuse writes (" + err.Error() + "): see to it that nobody writes there."
	}
	return fmt.Sprintf(" The source answers at %s: before, this update has it refuse writes (default_transaction_read_only), ends its sessions, and waits for what they have written.", at)
}
