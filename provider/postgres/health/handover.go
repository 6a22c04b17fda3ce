package health

import (
	"context"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

const (
	// patience is how long a source may say nothing before it is taken for gone, or not refuse writes, and a standby get nothing,
	// before that is an error: longer than a failover, wal_receiver_timeout and an archive_timeout of a minute.
	patience = 2 * time.Minute
	// near is how far a standby may be behind when its source is asked: a segment of WAL that is written, and one on its way.
	near = 32 << 20
)

// handover has the source of a standby cluster refuse writes before that is promoted, and the standby get all that was written.
// Each look goes through it anew: what was seen once may not be so any more when Patroni takes the order to promote.
type handover struct {
	source *admin.Connection // nil if it is not reached by its servers
	asks   bool              // whether it is asked

	mark   int64     // WAL that the source wrote for the standby to get, before it refuses writes
	marked time.Time // when
	fenced admin.Fenced
	asked  time.Time // when

	seen    time.Time // when a sign of life of the source was seen last
	failing time.Time // since when it is asked in vain, or none
	isLeft  bool      // it is told that the cluster is promoted without it

	leader string // of the standby
	has    int64  // the most WAL that was seen of that
	grew   time.Time
}

// handsOver is the handover of a promotion: to where the source was, as who this cluster is now.
func (a HealthArgs) handsOver(before HealthState) (h handover) {
	if before.Source != nil && len(before.Source.Endpoints) > 0 {
		source := *before.Source
		source.CACert, source.ClientCert, source.ClientKey = a.CACert, &a.ClientCert, &a.ClientKey
		h.source, h.asks = &source, !ptr.Value(a.SkipHealthChecks)
	}
	return h
}

// hasAll says what is missing until the leader of the standby is seen to have all that was written at the source, and that to
// refuse writes, or the source is gone. ready says what keeps the standby from being promoted at once.
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
	now, err := h.source.Primary(ctx, a.SystemID)
	if err == nil {
		h.seen, err = time.Now(), admin.GetsAround(now.Around)
	}
	switch {
	case err != nil:
		return h.inVain(ctx, a, err)
	case now.Refuses && now.Timeline == h.fenced.Timeline:
		return h.lacks(a)
	case !now.Refuses: // it never did, or another server leads now, or somebody has taken it back
		h.fenced.Timeline = 0
		if missing = ready(ctx, v); missing == "" {
			missing, err = h.follows(ctx, a, now)
		}
	}
	if missing != "" || err != nil {
		return missing, err
	}
	return h.fence(ctx, a)
}

// note notes what the leader has: more of it is a sign of a source that lives.
func (h *handover) note(leader string, a answer) {
	if has := a.received(); leader != h.leader || has > h.has {
		h.leader, h.has, h.grew, h.seen = leader, has, time.Now(), time.Now()
	}
}

// inVain is of a source that does not answer, or is not seen to refuse writes: with nothing missing, it is gone.
func (h *handover) inVain(ctx context.Context, a answer, why error) (missing string, err error) {
	lives := a.ReplicationState == streaming || !admin.IsSilent(why)
	if lives {
		h.seen = time.Now()
	}
	if h.failing.IsZero() {
		h.failing = time.Now()
	}
	switch {
	case time.Since(h.seen) > patience:
		h.tellLeft(ctx, a, why)
		return "", nil
	case lives && time.Since(h.failing) > patience:
		return "", fmt.Errorf("the source lives, and is not seen to refuse writes: %w. To promote the cluster nevertheless, see that nobody writes there, and then: %s", why, byHand)
	}
	return "the source is yet to be seen to refuse writes: " + why.Error(), nil
}

// follows says what is missing until the standby gets what the source writes, and is not far behind.
func (h *handover) follows(ctx context.Context, a answer, now admin.Primary) (missing string, err error) {
	if time.Since(h.marked) > patience {
		if h.mark, err = h.source.Mark(ctx, a.SystemID); err != nil {
			return h.inVain(ctx, a, err)
		}
		h.marked = time.Now()
	}
	behind := h.behind(a, now.Position, now.Timeline)
	switch {
	case a.received() >= h.mark && a.Timeline == now.Timeline && now.Position-a.received() <= near:
		return "", nil
	case time.Since(h.grew) > patience:
		return "", fmt.Errorf("%s, of which nothing has come for %s: the source takes writes, and is not asked to refuse them. See why the standby does not follow, by `journalctl -u patroni` there. "+
			"One that does not stream may tell its timeline some minutes late, after a failover of the source. To promote it without the rest: %s", behind, patience, byHand)
	}
	h.failing = time.Time{}
	return behind + "; it is asked to refuse writes when the standby follows, and is less than 32 MB behind", nil
}

// fence asks the source.
func (h *handover) fence(ctx context.Context, a answer) (missing string, err error) {
	fenced, err := h.source.Fence(ctx, a.SystemID)
	if fenced.Asked {
		h.fenced = fenced
	}
	if err != nil {
		return h.inVain(ctx, a, err)
	}
	h.seen, h.grew, h.asked = time.Now(), time.Now(), time.Now()
	p.GetLogger(ctx).Infof("the source, at %s, refuses writes from now on, and has WAL up to %s", fenced.At, lsn(fenced.UpTo))
	return "the source refuses writes; what it has written is yet to come", nil
}

// lacks is of a source that refuses writes: nothing, if the standby has all that it has written.
func (h *handover) lacks(a answer) (missing string, err error) {
	h.failing = time.Time{}
	missing = h.behind(a, h.fenced.UpTo, h.fenced.Timeline)
	switch {
	case a.received() >= h.fenced.UpTo && a.Timeline == h.fenced.Timeline:
		return "", nil
	case time.Since(h.grew) > patience || time.Since(h.asked) > promoteLimit:
		return "", fmt.Errorf("%s. It was asked to refuse writes %s ago, and the last of what came from it came %s ago", missing, time.Since(h.asked).Round(time.Second), time.Since(h.grew).Round(time.Second))
	}
	return missing, nil
}

// behind says what the standby has of a source that is somewhere.
func (h *handover) behind(a answer, position int64, timeline int) string {
	return fmt.Sprintf("%s: has WAL up to %s of timeline %d, which is %d bytes behind the source, at %s of timeline %d", h.leader, lsn(a.received()), a.Timeline, max(0, position-a.received()), lsn(position), timeline)
}
