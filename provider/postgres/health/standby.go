package health

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// A standby cluster follows another one, of another place: its leader is a standby too. It is
// promoted by the gate that plans an update, which comes before all that changes machines, and not by
// nodes: these are handed another configuration one after the other, and one that is late must not
// take the writes from a cluster that was promoted, nor a release of this package promote what
// somebody has made a standby by hand.

// leadsStandby is the role of the leader of a standby cluster.
const leadsStandby = "standby_leader"

// Source is how gates name what a cluster is a standby of.
func Source(endpoints []string) string { return strings.Join(endpoints, ", ") }

// isStandby reports whether the cluster follows another one.
func (v view) isStandby() bool {
	m := v.member(v.holder())
	return m != nil && m.Role == leadsStandby
}

// leads says what is missing until the leader does, or follows the source as the leader of a standby cluster.
func (v view) leads(name string) (missing string) {
	a := v.answers[name]
	switch {
	case v.isStandby() && (a.State != running || a.Role != leadsStandby && a.Role != "replica"):
		return fmt.Sprintf("%s: is the leader, but does not follow the source yet: %s", name, a.status)
	case !v.isStandby() && (a.State != running || a.Role != "primary" && a.Role != "master"):
		return fmt.Sprintf("%s: is the leader, but does not accept writes yet: %s", name, a.status)
	}
	return ""
}

// position is the WAL that a node has.
func (s status) position() int64 { return max(s.Xlog.Location, s.Xlog.ReceivedLocation) }

// asPlanned requires the cluster to be a standby if the program says so, and no standby else.
func (g *gate) asPlanned(v view, leader string) (missing string, err error) {
	switch {
	case g.StandbyOf != nil && !v.isStandby():
		return "", fmt.Errorf("%s: accepts writes, and by standbyOf the cluster is a standby of %s: it was promoted. Take standbyOf out of the program. To have it follow another cluster again, it must be founded anew: see docs/postgres-standby.md",
			leader, *g.StandbyOf)
	case g.StandbyOf == nil && v.isStandby():
		return leader + ": follows another cluster, and accepts no writes: `standby_cluster` is among the settings of Patroni (`sudo patronictl -c /etc/patroni/conf.yml edit-config` on a node). Whoever has set it must take it out", nil
	case g.StandbyOf != nil && g.old.SystemID == "": // later the source may be gone, which is when the cluster is needed
		return v.followsSource(leader), nil
	}
	return "", nil
}

// followsSource says what is missing until the leader streams from the source. Patroni before 3.1 does not tell.
func (v view) followsSource(leader string) (missing string) {
	if state := v.answers[leader].ReplicationState; state != "" && state != streaming {
		return fmt.Sprintf("%s: is the leader of a standby cluster, and does not stream from the source: %s", leader, state)
	}
	return ""
}

// received says up to where the leader of a standby cluster has the WAL of its source.
func (v view) received(leader string) string {
	a := v.answers[leader]
	text := fmt.Sprintf("%s has WAL up to %X/%X", leader, a.Xlog.ReceivedLocation>>32, uint32(a.Xlog.ReceivedLocation))
	if a.Xlog.ReplayedTimestamp != "" {
		text += ", and transactions up to " + a.Xlog.ReplayedTimestamp
	}
	return text
}

// tellLag says how far a standby cluster is, and warns where it does not follow.
func (g *gate) tellLag(ctx context.Context) {
	leader := g.last.holder()
	if g.StandbyOf == nil || leader == "" || !g.isOfAll() {
		return
	}
	if missing := g.last.followsSource(leader); missing != "" {
		p.GetLogger(ctx).Warning(missing + "; " + g.last.received(leader))
		return
	}
	p.GetLogger(ctx).Info("standby of " + *g.StandbyOf + ": " + g.last.received(leader))
}

// standbyAdded refuses to make a standby of a cluster that is none.
func (a HealthArgs) standbyAdded(before HealthArgs) string {
	if a.StandbyOf == nil || before.StandbyOf != nil {
		return ""
	}
	return "must not be given to a cluster that was made without it: it has data of its own, and takes writes. Found a standby as another cluster, or this one anew: see docs/postgres-standby.md"
}

// promoteLimit bounds the wait for a leader that takes writes: it first replays what it has received.
const promoteLimit = 10 * time.Minute

// promotes reports whether an update makes a standby cluster one of its own.
func (a HealthArgs) promotes(before HealthState) bool {
	return before.StandbyOf != nil && a.StandbyOf == nil
}

// promote has Patroni end the standby cluster, and waits until its leader accepts writes. A preview says so.
func (a HealthArgs) promote(ctx context.Context, before HealthState, preview bool) error {
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		if preview { // certificates may be unknown
			p.GetLogger(ctx).Warning(aboutPromotion(*before.StandbyOf, ""))
			return nil
		}
		return err
	}
	v := c.look(ctx, a.Nodes)
	if preview {
		if leader := v.holder(); v.isStandby() {
			p.GetLogger(ctx).Warning(aboutPromotion(*before.StandbyOf, v.received(leader)))
		}
		return nil
	}
	patch := map[string]any{"standby_cluster": nil}
	if n := ptr.Value(a.SynchronousStandbys); n > 0 { // from the first write on
		patch["synchronous_mode"], patch["synchronous_node_count"] = true, n
	}
	g := &gate{HealthArgs: a, client: c, limit: promoteLimit, answered: map[string]sighting{}}
	said := false
	err = g.waits().Until(ctx, func(ctx context.Context) (string, error) {
		v = c.look(ctx, a.Nodes)
		if leader, reason := v.leader(); reason == "" && !v.isStandby() {
			p.GetLogger(ctx).Infof("promoted: %s accepts writes", leader)
			return "", nil
		}
		switch {
		case v.paused():
			return "", errPaused
		case v.holder() == "" && !v.hasData() && v.allAnswer():
			p.GetLogger(ctx).Warning("no node has data: there is no standby that could be promoted")
			return "", nil
		case !v.isStandby() && v.holder() != "":
			return v.holder() + ": is being promoted", nil
		}
		for _, n := range a.Nodes {
			if v.answers[n.Name].err != nil {
				continue
			}
			if !said {
				p.GetLogger(ctx).Warning(aboutPromotion(*before.StandbyOf, v.received(cmp.Or(v.holder(), n.Name))))
				said = true
			}
			if err := c.patch(ctx, n, patch); err != nil {
				return n.Name + ": did not take the promotion: " + err.Error(), nil
			}
			return "the leader is yet to be promoted", nil
		}
		return "no node answers that could be promoted", nil
	})
	if err != nil {
		return fmt.Errorf("the cluster could not be promoted: %w. %s", err, wait.GoesOn(err, "nodes"))
	}
	return nil
}

func aboutPromotion(source, received string) string {
	text := "promotion: standbyOf is taken out, so that this update makes the cluster one of its own: it follows " + cmp.Or(source, "its source") +
		" no longer, and accepts writes, on a new timeline."
	if received != "" {
		text += " " + received + "."
	}
	return text + " Nothing is allowed to write to the source any more, before and after: what it has beyond that is not here, and both would go apart. It cannot follow this cluster before it is founded anew"
}

// hasData reports whether a node has.
func (v view) hasData() bool {
	for _, a := range v.answers {
		if a.SystemID != "" {
			return true
		}
	}
	return false
}

func (v view) allAnswer() bool {
	for _, n := range v.nodes {
		if v.answers[n.Name].err != nil {
			return false
		}
	}
	return true
}

// patch changes settings of the cluster.
func (c client) patch(ctx context.Context, n Node, settings map[string]any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := c.call(ctx, n, http.MethodPatch, "/config", settings, nil)
	return err
}
