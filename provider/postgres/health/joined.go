package health

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
)

// grace is how long a gate waits for a node that was out of the cluster before
// its configuration changed: the change may bring it back.
const grace = 30 * time.Second

// isInCluster reports whether a node belongs to the cluster: whether it is
// healthy, or was in the cluster before. The rest of the update may create or
// repair the others.
func (g *gate) isInCluster(v view, name string) bool {
	if _, noted := v.record[name]; noted || slices.Contains(g.old.Joined, name) || g.isExternal(name) {
		return true
	}
	if v.isUnreported() && slices.Contains(g.inCluster, name) {
		return true // it may be the leader
	}
	leader, reason := v.leader()
	if reason == "" && v.faultOf(name, leader, *g.MaximumLag) == "" {
		return true
	}
	if g.old.Joined != nil || g.old.Nodes == nil && v.record != nil || v.neverInitialised() {
		return false
	}
	// The state is of a release that recorded no nodes: those of the state count, if the gate saw the cluster.
	return v.member(name) != nil || g.old.SystemID != "" && slices.ContainsFunc(g.old.Nodes, func(n Node) bool { return n.Name == name })
}

// joined are the nodes of the program that are, or were, in the cluster.
func (g *gate) joined(v view) []string {
	names := []string{} // never nil, which is a gate of a version that noted nothing
	for _, n := range g.Nodes {
		if g.isInCluster(v, n.Name) {
			names = append(names, n.Name)
		}
	}
	return names
}

// settleTime is how long a node may be out of the cluster just because it
// restarts or changes to another leader.
const settleTime = 5 * time.Second

// noteOut notes since when the node Without is out of the cluster.
func (g *gate) noteOut(v view) {
	switch {
	case g.Without == nil || !v.out(*g.Without):
		g.outSince = time.Time{}
	case g.outSince.IsZero():
		g.outSince = time.Now()
	}
}

// isLongOut reports whether the node Without has been out of the cluster for a
// while, and the gate has changed nothing: then it may change, whatever the
// others lack.
func (g *gate) isLongOut() bool {
	return !g.acted && !g.outSince.IsZero() && time.Since(g.outSince) >= settleTime
}

// findIgnored finds the nodes that are out of the cluster, and were before
// their configuration changed. The gate does not wait for these: they apply it
// when they come back.
func (g *gate) findIgnored(v view) {
	g.ignored = nil
	if time.Since(g.waiting) < grace {
		return
	}
	for _, n := range g.Nodes {
		if g.requiresHealthy(n.Name) && v.out(n.Name) && g.wasOut(v, n) {
			g.ignored = append(g.ignored, n.Name)
		}
	}
}

// wasOut reports whether a node was out before this update: it has the same
// machine with the same configuration, or was already out when it got another
// one. Without a generation it is enough that the node was known.
func (g *gate) wasOut(v view, n Node) bool {
	_, noted := v.record[n.Name]
	before := slices.IndexFunc(g.old.Nodes, func(o Node) bool { return o.Name == n.Name })
	switch {
	case g.mayStart(n.Name):
		return false
	case n.Generation == nil:
		return noted || before >= 0
	case before < 0 || !g.sameMachine(n.Name):
		return false
	}
	was := g.old.Nodes[before].Generation
	return was != nil && *was == *n.Generation || v.record[n.Name].Out == *n.Generation
}

// sameMachine reports whether a node has the machine that it had when the gate
// last passed.
func (g *gate) sameMachine(name string) bool {
	if g.Node != nil {
		return maps.Equal(withoutDrive(g.old.Triggers), withoutDrive(g.Triggers))
	}
	was, has := g.old.Triggers[name]
	return has && was == g.Triggers[name]
}

// DriveTrigger is the trigger that changes with the configuration that a
// running machine gets.
const DriveTrigger = "drive"

// RebuildsTrigger is the trigger, of the gate of a cluster in front of a machine, that changes with what rebuilds that.
const RebuildsTrigger = "rebuilds"

func withoutDrive(triggers map[string]string) map[string]string {
	rest := maps.Clone(triggers)
	delete(rest, DriveTrigger)
	return rest
}

// withoutIgnored drops what ignored nodes lack.
func (g *gate) withoutIgnored(missing []string) []string {
	return slices.DeleteFunc(missing, func(line string) bool {
		return slices.ContainsFunc(g.ignored, func(name string) bool { return strings.HasPrefix(line, name+": ") })
	})
}

// warnOfIgnored warns of nodes that the gate did not wait for.
func (g *gate) warnOfIgnored(ctx context.Context) {
	for _, name := range g.ignored {
		if g.isExternal(name) {
			p.GetLogger(ctx).Warning(name + ": is not in the cluster, as before this update, which did not wait for it. It is external: repair it, or take it out of the program")
			continue
		}
		p.GetLogger(ctx).Warning(fmt.Sprintf("%s: was not in the cluster before this update, and still is not: the update did not wait for it. Rebuild it with `pulumi up --replace` of its domain, or remove it from the program", name))
	}
}
