package health

import (
	"context"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// byHand is how a cluster is promoted whatever its source does.
const byHand = "`sudo patronictl -c /etc/patroni/conf.yml edit-config --force --set standby_cluster=null` on one of its nodes, and `pulumi up` again"

// reset takes away what a fence has left.
const reset = "`sudo -u postgres psql -c 'ALTER SYSTEM RESET default_transaction_read_only' -c 'SELECT pg_reload_conf()'`"

// left says of a promotion that failed how the source takes writes again, if it may refuse them.
func (m *promotion) left(ctx context.Context) string {
	if m.source == nil {
		return ""
	}
	at, refuses := m.fenced.At, m.fenced.Asked
	if !refuses { // by this update, but perhaps by one before
		now, err := m.source.Primary(context.WithoutCancel(ctx), "")
		if err != nil {
			return fmt.Sprintf("Whether the source refuses writes, as an update before may have asked it to, is not seen from here. If it does, and is to take them again, on every node of it: %s", reset)
		}
		at, refuses = now.At, now.Refuses
	}
	switch {
	case !refuses:
		return ""
	case m.ordered:
		return fmt.Sprintf("The source, at %s, refuses writes, and is to: Patroni has the order to promote this cluster. `pulumi up` again waits for that", at)
	}
	return fmt.Sprintf("The source, at %s, was asked to refuse writes. `pulumi up` again goes on, while this cluster gets what the source has. To promote without what it lacks: %s. To go back to the source, put standbyOf back, and on every node of it: %s", at, byHand, reset)
}

// tellLeft warns, once, that the cluster is promoted without its source.
func (h *handover) tellLeft(ctx context.Context, a answer, why error) {
	if h.isLeft {
		return
	}
	h.isLeft = true
	text := "this update has not asked it to refuse writes"
	switch {
	case h.fenced.Timeline > 0:
		text = "it was seen to refuse writes before. " + h.behind(a, h.fenced.UpTo, h.fenced.Timeline)
	case h.fenced.Asked:
		text = "it was asked to refuse writes, and whether it did so at once was not seen"
	}
	p.GetLogger(ctx).Warningf("nothing was seen of the source for %s (%s); %s. The cluster is promoted as it is. Should the source come back, or another server lead there, it may take writes, which are lost: turn it off", patience, why, text)
}

// tellsOfSource says what a promotion does there.
func (h *handover) tellsOfSource(ctx context.Context, a answer) string {
	if !h.asks {
		return " The source is not asked to refuse writes: see to it that nobody writes there."
	}
	now, err := h.source.Primary(ctx, a.SystemID)
	around := admin.GetsAround(now.Around)
	switch {
	case admin.IsSilent(err):
		return fmt.Sprintf(" Nothing is heard of the source from here (%s): this update waits for that for two minutes; then it fails if this cluster streams from the source still, and else promotes it as it is. See to it that nobody writes there.", err)
	case err != nil:
		return fmt.Sprintf(" The source cannot be asked to refuse writes from here (%s): if it is like that in the update, that fails.", err)
	case around != nil:
		return fmt.Sprintf(" The source answers at %s. This update is to have it refuse writes, and would fail: %s.", now.At, around)
	case now.Refuses:
		return fmt.Sprintf(" The source answers at %s, and refuses writes already: this update waits for what it has written.", now.At)
	}
	text := fmt.Sprintf(" The source answers at %s: before, this update has it refuse writes (default_transaction_read_only), ends its sessions, and waits for what they have written, once this cluster follows it and is less than 32 MB behind.", now.At)
	if a.SystemID != "" {
		text += fmt.Sprintf(" Now it is %d bytes behind.", max(0, now.Position-a.received()))
	}
	return text
}

// fenceOf is what each preview and update of a standby says of a source that refuses writes: a promotion may have failed.
func fenceOf(ctx context.Context, state property.Map) string {
	if !state.Get("source").IsMap() {
		return ""
	}
	of := state.Get("source").AsMap()
	text := func(name string) *string {
		if v := guard.Text(of.Get(name)); v != "" {
			return &v
		}
		return nil
	}
	source := admin.Connection{
		Endpoints: guard.Texts(of.Get("endpoints")), CACert: ptr.Value(text("caCert")), Password: text("password"), ClientCert: text("clientCert"), ClientKey: text("clientKey"),
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	now, err := source.Primary(ctx, "")
	if err != nil || !now.Refuses {
		return ""
	}
	return fmt.Sprintf("the source, at %s, refuses writes (default_transaction_read_only), as after a promotion that did not come to its end. If it is to take them again, and this cluster was not promoted, on every node of it: %s", now.At, reset)
}

// sourceTimeout bounds what each preview of a standby waits for a source that is gone.
const sourceTimeout = 3 * time.Second

// unfence has nodes take writes whose data are a copy of those of a source that refused them: the leader, and those that may lead.
func (m *promotion) unfence(ctx context.Context) {
	if m.own == nil {
		return
	}
	was, errs := make([]bool, len(m.Nodes)), make([]error, len(m.Nodes))
	var all fault.Group
	for i, n := range m.Nodes {
		all.Go(func() { was[i], errs[i] = m.superuserBy(m.own.Password, n).Unfence(ctx) })
	}
	all.Wait()
	for i, n := range m.Nodes {
		if was[i] {
			p.GetLogger(ctx).Warningf("%s: had default_transaction_read_only of its source, as its data were copied while that refused writes: it is reset. Backups of that time have it too", n.Name)
		}
		if errs[i] != nil {
			p.GetLogger(ctx).Warningf("%s: whether it has default_transaction_read_only of a source that refused writes could not be seen from here (%s). If it refuses them when it leads: %s", n.Name, errs[i], reset)
		}
	}
}
