package health

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// mostRestarts is how often a synchronous standby is restarted so that another
// takes its place. The leader is woken meanwhile, so once should be enough.
const mostRestarts = 3

var errDataLost = errors.New("its data would be lost with it, and no other node has them. Add a node first, in an update of its own, or allow the loss with allowDataLoss: true")

var errPaused = errors.New("the cluster is paused (maintenance mode), so that Patroni does not fail over. `sudo patronictl -c /etc/patroni/conf.yml resume` on a node ends the pause; then the next `pulumi up` continues here")

// action is what a gate does itself before a node changes.
type action struct {
	handOverTo    string // the node that is to become the leader
	changeStandby string // the synchronous standby that another node is to replace
	applyRestart  string // the node whose PostgreSQL is to take what waits for a restart
}

// judge says what is missing for the gate to pass or, if nothing is, the next
// action. What waiting does not change is an error.
func (g *gate) judge(v view) (missing []string, next action, err error) {
	leader, reason := v.leader()
	switch id := v.answers[leader].SystemID; {
	case v.paused():
		return nil, next, errPaused
	case g.restarts.failed(v) != nil:
		return nil, next, g.restarts.failed(v)
	case g.old.SystemID != "" && id != "" && id != g.old.SystemID && !v.isUpgraded(g.old.SystemID, id) && !g.beginsAgain(g.old.Nodes):
		return nil, next, fmt.Errorf("%s: is the leader of another cluster: its system id is %s, and was %s. If that is what you want, `skipHealthChecks: true` for one `pulumi up` takes the cluster as it is", leader, id, g.old.SystemID)
	}
	if reason == "" {
		if line, err := g.asPlanned(v, leader); line != "" || err != nil {
			return []string{line}, next, err
		}
	}
	switch {
	case reason == "" && g.isStranger(v, leader):
		return nil, next, strangerLeads(*v.member(leader))
	case reason == "" && v.outside(leader):
		return g.switchOver(v, leader, g.Candidates)
	case g.Without != nil:
		return g.canDoWithout(v)
	case reason != "":
		return g.leaderless(v, reason), next, nil
	case g.OtherLoadBalancers != nil:
		return nil, next, nil
	}
	asked := slices.DeleteFunc(slices.Clone(g.Nodes), func(n Node) bool { return slices.Contains(g.ignored, n.Name) })
	for _, n := range asked {
		if g.requiresHealthy(n.Name) {
			missing = append(missing, v.faultOf(n.Name, leader, *g.MaximumLag))
		}
	}
	missing = slices.DeleteFunc(missing, func(line string) bool { return line == "" })
	wanted := min(*g.SynchronousStandbys, max(0, len(asked)-1))
	if has := v.standbys(g.Nodes, leader); g.Node == nil && len(missing) == 0 && has < wanted {
		return g.freeStandbyPlace(v, fmt.Sprintf("%s: has %d of %d synchronous standbys", leader, has, wanted))
	}
	if len(missing) == 0 && g.appliesRestarts() {
		return g.applyRestarts(v, leader)
	}
	return missing, next, nil
}

// freeStandbyPlace lets nodes of the program become synchronous standbys, if too few are:
// Patroni keeps a standby that was removed from the program as long as it streams.
func (g *gate) freeStandbyPlace(v view, lacks string) (missing []string, next action, err error) {
	switch leaving := v.leavingStandby(); {
	case leaving == "":
		return []string{lacks}, next, nil
	case g.isStranger(v, leaving):
		return []string{lacks + ". " + leaving + " is one, which is none of the nodes: " + asExternal(*v.member(leaving))}, next, nil
	case g.standbyChanges < mostRestarts:
		return nil, action{changeStandby: leaving}, nil
	default:
		return []string{leaving + ": was removed from the program, but is still a synchronous standby"}, next, nil
	}
}

// switchOver chooses another node as the leader: of the candidates the
// preferred one, or the one with the least lag.
func (g *gate) switchOver(v view, leader string, preferred []string) (missing []string, next action, err error) {
	candidates := v.candidates(leader, preferred, *g.MaximumLag)
	candidates = slices.DeleteFunc(candidates, func(name string) bool { return g.Without != nil && name == *g.Without })
	leaving := v.leavingStandby()
	switch {
	case len(candidates) == 0 && leaving != "" && !g.isStranger(v, leaving) && g.standbyChanges < mostRestarts:
		return nil, action{changeStandby: leaving}, nil
	case len(candidates) == 0:
		return []string{leader + ": is the leader, and no other node can take over: none is a synchronous standby, or all have the tag nofailover"}, next, nil
	case v.scheduled() != "": // a switchover now would silently take its place
		return nil, next, errors.New(v.scheduled() + ": wait until it has happened, or cancel it by `sudo patronictl -c /etc/patroni/conf.yml flush SCOPE switchover` on a node, with the value of patroni.scope in place of SCOPE; then the next `pulumi up` continues here")
	}
	return nil, action{handOverTo: candidates[0]}, nil
}

// canDoWithout says what is missing until the cluster can do without a node: another leader
// and, if there are enough nodes, healthy replicas. A node that is out of the cluster already
// may change, whatever the others lack.
func (g *gate) canDoWithout(v view) (missing []string, next action, err error) {
	leader, reason := v.leader()
	var others []Node
	for _, n := range g.Nodes {
		if n.Name != *g.Without && g.isInCluster(v, n.Name) {
			others = append(others, n)
		}
	}
	if len(others) == 0 && (reason == "" || !g.othersHaveData(v)) {
		return g.withoutOthers(v, reason)
	}
	g.leaderlessSince = time.Time{}
	if reason != "" {
		return g.leaderless(v, reason), next, nil
	}
	for _, n := range others {
		if line := v.faultOf(n.Name, leader, *g.MaximumLag); line != "" {
			missing = append(missing, line)
		}
	}
	switch healthy, needed := len(others)-len(missing), min(len(others), 1+max(1, *g.SynchronousStandbys)); {
	case healthy < needed && g.isLongOut():
		return nil, next, nil
	case healthy < needed:
		return missing, next, nil
	case leader != *g.Without:
		return g.standbysWithout(v, leader, others)
	}
	return g.switchOver(v, leader, g.Candidates)
}

// othersHaveData reports whether another node has data of the cluster.
func (g *gate) othersHaveData(v view) bool {
	return slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Name != *g.Without && v.answers[n.Name].SystemID != "" })
}

// standbysWithout requires as many synchronous standbys among the others as are possible: then
// commits do not wait when the node goes.
func (g *gate) standbysWithout(v view, leader string, others []Node) (missing []string, next action, err error) {
	has, wanted := v.standbys(others, leader), min(*g.SynchronousStandbys, len(others)-1)
	switch {
	case has >= wanted:
		return nil, next, nil
	case v.synchronous(*g.Without, leader) && g.standbyChanges < mostRestarts:
		return nil, action{changeStandby: *g.Without}, nil
	}
	return g.freeStandbyPlace(v, fmt.Sprintf("%s: has %d of %d synchronous standbys without %s", leader, has, wanted, *g.Without))
}

// scheduled describes a switchover that someone else has scheduled, or is "".
func (v view) scheduled() string {
	if v.cluster == nil || v.cluster.Scheduled == nil {
		return ""
	}
	s := v.cluster.Scheduled
	to := s.To
	if to == "" {
		to = "any node"
	}
	return fmt.Sprintf("a switchover from %s to %s is scheduled for %s", s.From, to, s.At)
}
