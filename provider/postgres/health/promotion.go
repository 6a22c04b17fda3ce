package health

import (
	"cmp"
	"context"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// promoteLimit bounds the wait for a leader that takes writes: it first replays what it has received.
const promoteLimit = 10 * time.Minute

// promotion makes a standby cluster one of its own.
type promotion struct {
	*gate
	of       string         // what it follows
	settings map[string]any // of Patroni, by which it does so
	told     bool
	ordered  bool              // Patroni has taken the settings
	own      *admin.Connection // with the password of the superuser, which is that of the source
	handover
}

// promotes reports whether an update makes a standby cluster one of its own.
func (a HealthArgs) promotes(before HealthState) bool {
	return before.StandbyOf != nil && a.StandbyOf == nil
}

// promote has Patroni end the standby cluster, and waits until its leader accepts writes. A preview says so.
func (a HealthArgs) promote(ctx context.Context, before HealthState, preview bool) error {
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil && !preview {
		return err
	}
	m := promotion{
		gate: &gate{HealthArgs: a, client: c, limit: promoteLimit, answered: map[string]sighting{}},
		of:   *before.StandbyOf, settings: map[string]any{"standby_cluster": nil, wake: nil},
	}
	m.handover, m.own = a.handsOver(before), before.Source
	if preview {
		var v view // nothing, where certificates are unknown
		if err == nil {
			v = c.look(ctx, a.Nodes)
		}
		if !v.isPromoted() {
			m.tell(ctx, v)
		}
		return nil
	}
	if n := ptr.Value(a.SynchronousStandbys); n > 0 { // from the first write on
		m.settings["synchronous_mode"], m.settings["synchronous_node_count"] = true, n
	}
	var failed error
	err = m.waits().Until(ctx, func(look context.Context) (missing string, err error) {
		missing, failed = m.step(look)
		return missing, failed
	})
	if err == nil {
		return nil
	}
	switch left := m.left(ctx); {
	case left != "":
		return fmt.Errorf("the cluster could not be promoted: %w. %s", err, left)
	case failed != nil:
		return fmt.Errorf("the cluster could not be promoted: %w", failed)
	}
	return fmt.Errorf("the cluster could not be promoted: %w. %s", err, wait.GoesOn(err, "nodes"))
}

// isPromoted reports whether a leader accepts writes.
func (v view) isPromoted() bool {
	_, reason := v.leader()
	return reason == "" && !v.isStandby()
}

// step looks once and, if that is due, promotes. It says what is missing.
func (m *promotion) step(ctx context.Context) (missing string, err error) {
	v := m.client.look(ctx, m.Nodes)
	switch leader := v.holder(); {
	case v.isPromoted():
		m.unfence(ctx)
		p.GetLogger(ctx).Infof("promoted: %s accepts writes", leader)
		return "", nil
	case v.paused():
		return "", errPaused
	case leader == "" && !v.hasData() && v.allAnswer():
		p.GetLogger(ctx).Warning("no node has data: there is no standby that could be promoted")
		return "", nil
	case leader != "" && !v.isStandby():
		return leader + ": is being promoted", nil
	}
	if m.asks && !m.ordered {
		if missing, err := m.hasAll(ctx, v, m.wakes); missing != "" || err != nil {
			return missing, err
		}
	}
	return m.order(ctx, v), nil
}

// wake is a setting that nobody reads: whether it is taken shows whether others would be.
const wake = "quorum_promotion"

// wakes says why no node would take the order to promote: the source is not asked for anything before one does.
func (m *promotion) wakes(ctx context.Context, v view) (missing string) {
	return m.given(ctx, v, map[string]any{wake: time.Now().Unix()})
}

// order has Patroni promote the cluster.
func (m *promotion) order(ctx context.Context, v view) (missing string) {
	if missing := m.given(ctx, v, m.settings); missing != "" {
		return missing
	}
	m.ordered = true
	return "the leader is yet to be promoted"
}

// given gives Patroni settings by the first node that takes them: each can, as they are in etcd. Before the first, it is told
// what follows.
func (m *promotion) given(ctx context.Context, v view, settings map[string]any) (missing string) {
	missing = "no node answers that could be promoted"
	for _, n := range m.Nodes {
		if v.answers[n.Name].err != nil {
			continue
		}
		m.tellOnce(ctx, v)
		err := m.client.patch(ctx, n, settings)
		if err == nil {
			return ""
		}
		missing = n.Name + ": did not take the promotion: " + err.Error()
	}
	return missing
}

func (m *promotion) tellOnce(ctx context.Context, v view) {
	if !m.told {
		m.tell(ctx, v)
		m.told = true
	}
}

// tell warns of what a promotion does and, as far as it is seen, of what the cluster has.
func (m *promotion) tell(ctx context.Context, v view) {
	text := "promotion: standbyOf is taken out, so that this update makes the cluster one of its own: it follows " + cmp.Or(m.of, "its source") +
		" no longer, and accepts writes, on a new timeline."
	text += m.tellsOfSource(ctx, v.answers[v.holder()])
	if received := v.received(v.holder()); received != "" {
		text += " " + received + "."
	}
	if v.answers[v.holder()].ReplicationState == streaming {
		text += " It still streams from the source, which therefore runs."
	}
	p.GetLogger(ctx).Warning(text + " Nothing may write to the source any more, neither before nor after this update: what it takes beyond that is not here, and the two would diverge. The source cannot follow this cluster before it is founded anew")
}
