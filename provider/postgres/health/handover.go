package health

import (
	"context"
	"errors"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

const (
	// askFor is how long a source that lives is asked to refuse writes, and silentFor one that says nothing: it may fail over
	// meanwhile.
	askFor, silentFor = 2 * time.Minute, time.Minute
	// standstill is after how long without WAL, and without a source, a standby is taken for one that gets no more.
	standstill = time.Minute
)

// handover has the source of a standby cluster refuse writes before that is promoted, and the standby get all that was written.
type handover struct {
	source *admin.Connection // nil if it is not asked
	since  time.Time         // it is asked
	lives  bool              // since then something was seen of it
	fenced admin.Fenced
	away   time.Time // since when it does not answer any more
	leader string    // of the standby
	has    int64     // WAL of that
	grew   time.Time // that
	done   bool
}

// handsOver is the handover of a promotion: to where the source was, as who this cluster is now.
func (a HealthArgs) handsOver(before HealthState) (h handover) {
	if !*a.SkipHealthChecks {
		h.source = a.ofSource(before.Source)
	}
	return h
}

// ofSource is how the source was reached, with the certificates there are now.
func (a HealthArgs) ofSource(was *admin.Connection) *admin.Connection {
	if was == nil {
		return nil
	}
	source := *was
	source.CACert, source.ClientCert, source.ClientKey = a.CACert, &a.ClientCert, &a.ClientKey
	return &source
}

// asks reports whether there is something to ask the source for still.
func (h *handover) asks() bool { return h.source != nil && !h.done }

// hasAll says what is missing until the leader of the standby has all that was written at the source. A source that is gone can
// be asked for nothing, and has no more. ready says what keeps the standby from being promoted at once.
func (h *handover) hasAll(ctx context.Context, v view, ready func(context.Context, view) string) (missing string, err error) {
	leader := v.holder()
	a, asked := v.answers[leader]
	switch {
	case !v.isStandby():
		return "no node is seen to lead the standby cluster", nil
	case !asked || a.err != nil:
		return leader + ": is the leader, and does not answer", nil
	case a.State != running:
		return fmt.Sprintf("%s: is the leader, and is not ready: %s", leader, a.status), nil
	}
	h.note(leader, a)
	if h.fenced.UpTo > 0 {
		return h.received(ctx, leader, a)
	}
	if missing := ready(ctx, v); missing != "" {
		return missing, nil
	}
	return h.fence(ctx, a)
}

// note notes what the leader has: more of it is a sign of a source that lives.
func (h *handover) note(leader string, a answer) {
	has := a.received()
	h.lives = h.lives || a.ReplicationState == streaming || leader == h.leader && has > h.has
	if leader != h.leader || has > h.has {
		h.leader, h.has, h.grew = leader, has, time.Now()
	}
}

// received is hasAll of a source that refuses writes. What leads there may be another server than the one that was asked.
func (h *handover) received(ctx context.Context, leader string, a answer) (missing string, err error) {
	now, err := h.source.Primary(ctx, a.SystemID)
	switch {
	case err == nil && (!now.Refuses || now.Timeline != h.fenced.Timeline):
		h.fenced.UpTo, h.since = 0, time.Now()
		return "another server leads the source now, and is to refuse writes too", nil
	case !admin.IsAway(err):
		h.away = time.Time{}
	case h.away.IsZero():
		h.away = time.Now()
	}
	lacks := fmt.Sprintf("%s: has WAL up to %s, and the source up to %s", leader, lsn(h.has), lsn(h.fenced.UpTo))
	if a.Timeline != h.fenced.Timeline {
		lacks = fmt.Sprintf("%s: has WAL of timeline %d up to %s, and the source writes on timeline %d, which is at %s", leader, a.Timeline, lsn(h.has), h.fenced.Timeline, lsn(h.fenced.UpTo))
	}
	switch {
	case h.has >= h.fenced.UpTo && a.Timeline == h.fenced.Timeline:
		h.done = true
	case a.ReplicationState == streaming || time.Since(h.grew) < standstill:
		return lacks, nil
	case admin.IsAway(err) && time.Since(h.away) > standstill:
		p.GetLogger(ctx).Warningf("%s. The source does not answer any more: the cluster is promoted without the rest", lacks)
		h.done = true
	case time.Since(h.grew) > askFor:
		return "", errors.New(lacks + ". It gets no more")
	default:
		return lacks, nil
	}
	return "", nil
}

// fence asks the source.
func (h *handover) fence(ctx context.Context, a answer) (missing string, err error) {
	if h.since.IsZero() {
		h.since = time.Now()
	}
	fenced, err := h.source.Fence(ctx, a.SystemID)
	if fenced.Asked {
		h.fenced = fenced
	}
	h.lives = h.lives || !admin.IsAway(err)
	asked := time.Since(h.since)
	switch {
	case err == nil:
		h.grew, h.away = time.Now(), time.Time{}
		p.GetLogger(ctx).Infof("the source, at %s, refuses writes from now on, and has WAL up to %s", fenced.At, lsn(fenced.UpTo))
		return "the source refuses writes; what it has written is yet to come", nil
	case asked < silentFor || h.lives && asked < askFor:
		return "the source has yet to refuse writes: " + err.Error(), nil
	case h.lives:
		return "", fmt.Errorf("the source lives, and does not refuse writes: %w. To promote the cluster nevertheless, see that nobody writes there, and then: %s", err, byHand)
	}
	text := "the source does not answer, and was not asked to refuse writes: %s"
	if h.fenced.Asked {
		text = "the source was asked to refuse writes, and does not answer any more; whether it did so at once was not seen: %s"
	}
	p.GetLogger(ctx).Warningf(text, err)
	h.done = true
	return "", nil
}
