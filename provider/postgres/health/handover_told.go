package health

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// byHand is how a cluster is promoted whatever its source does.
const byHand = "`sudo patronictl -c /etc/patroni/conf.yml edit-config --force --set standby_cluster=null` on one of its nodes, and `pulumi up` again"

// wayBack says how the source takes writes again.
func (h *handover) wayBack() string {
	return fmt.Sprintf("The source, at %s, was asked to refuse writes. To promote without what it has beyond this cluster: %s. To go back to it, put standbyOf back, and on every node of it: %s",
		h.fenced.At, byHand, reset)
}

// reset takes away what a fence has left.
const reset = "`sudo -u postgres psql -c 'ALTER SYSTEM RESET default_transaction_read_only' -c 'SELECT pg_reload_conf()'`"

// tellsOfSource says what a promotion does there.
func (h *handover) tellsOfSource(ctx context.Context, systemID string) string {
	if h.source == nil {
		return " The source is not asked to refuse writes: see to it that nobody writes there."
	}
	now, err := h.source.Primary(ctx, systemID)
	switch {
	case err != nil:
		return " From here the source cannot be asked to refuse writes now (" + err.Error() + "): this update asks for a minute or two, and fails if it lives. See to it that nobody writes there."
	case now.Refuses:
		return fmt.Sprintf(" The source answers at %s, and refuses writes already: this update waits for what it has written.", now.At)
	}
	return fmt.Sprintf(" The source answers at %s: before, this update has it refuse writes (default_transaction_read_only), ends its sessions, and waits for what they have written.", now.At)
}

// warnOfFence warns of a source that a promotion has had refuse writes that did not come to its end.
func (a HealthArgs) warnOfFence(ctx context.Context) {
	if a.StandbyOf == nil || a.Source == nil || ptr.Value(a.SkipHealthChecks) {
		return
	}
	if now, err := a.Source.Primary(ctx, ""); err == nil && now.Refuses {
		p.GetLogger(ctx).Warningf("the source, at %s, refuses writes (default_transaction_read_only), as after a promotion that did not come to its end. If it is to take them again, on every node of it: %s", now.At, reset)
	}
}

// unfence has the leader take writes if its data are a copy of those of a source that refused them.
func (m *promotion) unfence(ctx context.Context, leader string) {
	n := m.named(leader)
	if m.own == nil || n == nil {
		return
	}
	switch was, err := m.superuserBy(m.own.Password, *n).Unfence(ctx); {
	case err != nil:
		p.GetLogger(ctx).Warningf("%s: whether it has default_transaction_read_only of a source that refused writes could not be seen from here (%s). If it refuses them: %s", leader, err, reset)
	case was:
		p.GetLogger(ctx).Infof("%s: had default_transaction_read_only of its source, which is reset", leader)
	}
}
