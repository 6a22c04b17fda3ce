package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
)

// restoring is the replication state of a replica that gets WAL from an archive, or waits for some to come there.
const restoring = "in archive recovery"

// How WAL of the source arrives: what HealthArgs.StandbyBy has.
const (
	ByEndpoints = "endpoints"
	ByBackup    = "backup"
)

// A standby cluster follows another one, of another place: its leader is a standby too. It is
// promoted by the gate that plans an update, which comes before all that changes machines, and not by
// nodes: these are handed another configuration one after the other, and one that is late must not
// take the writes from a cluster that was promoted, nor a release of this package promote what
// somebody has made a standby by hand.

// leadsStandby is the role of the leader of a standby cluster.
const leadsStandby = "standby_leader"

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

// received is the WAL that a standby has: what comes from an archive is replayed, and not received.
func (s status) received() int64 { return max(s.Xlog.ReceivedLocation, s.Xlog.ReplayedLocation) }

// asPlanned requires the cluster to be a standby if the program says so, and no standby else.
func (g *gate) asPlanned(v view, leader string) (missing string, err error) {
	switch {
	case g.StandbyOf != nil && !v.isStandby():
		return "", fmt.Errorf("%s: accepts writes, and by standbyOf the cluster is a standby of %s: it was promoted. Take standbyOf out of the program. To have it follow another cluster again, it must be founded anew: see docs/postgres-standby.md",
			leader, *g.StandbyOf)
	case g.StandbyOf == nil && v.isStandby():
		return leader + ": follows another cluster, and accepts no writes: `standby_cluster` is among the settings of Patroni (`sudo patronictl -c /etc/patroni/conf.yml edit-config` on a node). If standbyOf was just taken out, `pulumi up` without --target promotes it. If somebody has set it by hand, it must be taken out", nil
	case g.StandbyOf != nil && g.isFirst() && g.isOfAll() && !g.appliesRestarts():
		// The last gate of the first update. Later the source may be gone, which is when the cluster is needed.
		return g.followsSource(v, leader), nil
	case g.isOfAll():
		return v.namesakes(leader), nil
	}
	return "", nil
}

// namesakes says which name two nodes have that stream from the leader, as one of another place may: PostgreSQL takes
// either for the synchronous standby of that name. It may also be a connection that has yet to end.
func (v view) namesakes(leader string) (missing string) {
	seen := map[sender]bool{}
	for _, s := range v.answers[leader].Replication {
		if s.State == streaming && seen[s] {
			return fmt.Sprintf("%s: two nodes of the name %s stream from it, so that commits may wait for the wrong one: the nodes of a standby cluster must have names of their own", leader, s.Node)
		}
		seen[s] = true
	}
	return ""
}

// isFirst reports whether no gate like this has passed yet.
func (g *gate) isFirst() bool { return g.old.SystemID == "" || len(g.old.Nodes) == 0 }

// followsSource says what is missing until the leader streams from the source, or gets WAL from its backups. Patroni says
// nothing if it does not, and no restore_command is set. Before 3.0.4 it never says anything, and not its name either.
func (g *gate) followsSource(v view, leader string) (missing string) {
	a := v.answers[leader]
	if a.ReplicationState == restoring && slices.Contains(g.StandbyBy, ByBackup) {
		return ""
	}
	if a.Patroni.Name != "" && a.ReplicationState != streaming {
		return fmt.Sprintf("%s: is the leader of a standby cluster, and does not stream from the source: %s", leader, cmp.Or(a.ReplicationState, "it receives no WAL"))
	}
	return ""
}

// lsn is a position as PostgreSQL writes it.
func lsn(position int64) string { return fmt.Sprintf("%X/%X", position>>32, uint32(position)) }

// received says up to where the leader of a standby cluster has the WAL of its source, if it answers.
func (v view) received(leader string) string {
	a, asked := v.answers[leader]
	if !asked || a.err != nil {
		return ""
	}
	text := fmt.Sprintf("%s has WAL up to %s", leader, lsn(a.received()))
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
	if g.ofArchive != "" {
		p.GetLogger(ctx).Warning(g.ofArchive)
	}
	missing := g.followsSource(g.last, leader)
	if a := g.last.answers[leader]; a.ReplicationState == restoring && slices.Contains(g.StandbyBy, ByEndpoints) {
		missing = leader + ": gets WAL from the backups of the source, and does not stream from it"
	}
	if missing != "" {
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
