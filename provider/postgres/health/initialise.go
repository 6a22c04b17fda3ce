package health

import (
	"context"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// A first update may fail before the cluster is initialised: no node has data, there is no
// leader, and a machine that does not boot may need another image. So its machine may be
// rebuilt although no node answers. A cluster whose machines are all off looks the same. To
// tell the two apart, a gate that has seen a leader keeps the system id in its state, even if
// the gate fails, and a guard looks at the states of gates.
//
// It sees only the states that the engine compares before it deletes the guard: those of the
// last gate and of the gate of its node. In a first update that failed, the gate of another
// node may have seen a leader. So data volumes that may have data are not deleted.

// adviceNeverSeen follows the reason where no gate has seen the cluster.
const adviceNeverSeen = "No update of this cluster has completed yet. If PostgreSQL never ran, `pulumi destroy` loses nothing; then run `pulumi up` again"

// adviceUnreachable follows the reason where a gate has seen the cluster and no node answers now.
const adviceUnreachable = "The cluster was initialised before, and one of its nodes may be the leader. If the machines are off, `pulumi up --refresh` starts them; otherwise repair the network to them"

// clusterSeen is whether a gate has seen a leader of the cluster that a node belongs to. It is
// noted by the node's address: a guard knows that, and not the names of the other gates.
type clusterSeen bool

// noteLeaderSeen keeps the system id that the leader reports, for the state of this gate, and
// notes for guards that the cluster was seen.
func (g *gate) noteLeaderSeen(ctx context.Context) {
	if id := g.last.answers[g.last.holder()].SystemID; id != "" {
		g.seenSystemID = id
		if g.neverSeen { // no longer, also if no node answers at the next look
			g.takeAsSeen()
		}
		noteClusterSeen(ctx, g.Nodes)
	}
}

// takeAsSeen notes that the cluster was initialised. If it is not known which nodes joined it,
// all may have.
func (g *gate) takeAsSeen() {
	if g.neverSeen = false; len(g.inCluster) == 0 {
		g.inCluster = nodeNames(g.Nodes)
	}
}

func noteClusterSeen(ctx context.Context, nodes []Node) {
	for _, n := range nodes {
		run.Note(ctx, run.Beside(ctx, n.address()), func(now *clusterSeen) { *now = true })
	}
}

// noteClusterSeenBefore notes the same from the state of a gate of an earlier update. For the
// last gate it is enough that there is a state: either an update has completed, or the gate
// saw the cluster and failed.
func noteClusterSeenBefore(ctx context.Context, req p.DiffRequest) {
	if _, last := lastGateOf(req); last || guard.Text(req.State.Get("systemId")) != "" {
		noteClusterSeen(ctx, nodesOf(req.OldInputs.Get("nodes")))
	}
}

// lastGateOf gives the name of the cluster whose last gate is asked about. The gate of a node
// may have a name like it.
func lastGateOf(req p.DiffRequest) (cluster string, is bool) {
	if in := req.OldInputs; guard.Text(in.Get("node")) != "" || guard.Text(in.Get("without")) != "" {
		return "", false
	}
	return strings.CutSuffix(req.Urn.Name(), lastGate)
}

// lastGate ends the name of the last gate of a cluster.
const lastGate = "-healthy"

// failedState is the state of a new gate that failed, and its error. If the gate saw a leader,
// the state is saved, with the system id: the next update must not take the cluster for one
// that was never initialised. The state lists no nodes, since an update does not wait for
// nodes that were in the state and not in the cluster.
func (g *gate) failedState(failed error) (HealthState, error) {
	if g.seenSystemID == "" {
		return g.state(), failed
	}
	return HealthState{Nodes: []Node{}, Members: []string{}, Joined: []string{}, SystemID: g.seenSystemID}, savedError{failed}
}

// isFailedState reports whether a state is one of failedState, after which the gate has to run
// again. The engine knows that too, but forgets it with a refresh.
func isFailedState(req p.DiffRequest) bool {
	return len(nodesOf(req.State.Get("nodes"))) == 0 && len(nodesOf(req.OldInputs.Get("nodes"))) > 0
}

// savedError is the error of a gate that failed, and whose state is saved all the same.
type savedError struct{ error }

// As makes errors.As find a ResourceInitFailedError, at which infer returns the state with
// the error.
func (e savedError) As(target any) bool {
	failed, is := target.(*infer.ResourceInitFailedError)
	if is {
		failed.Reasons = []string{e.Error()}
	}
	return is
}

// initialising says which node is initialising the cluster, or "". Its machine must not be
// deleted meanwhile: Patroni has noted in etcd that initialisation has begun, and the other
// nodes would wait for it forever.
func (v view) initialising() string {
	for _, n := range v.nodes {
		a := v.answers[n.Name]
		founding := slices.Contains(initialisingStates, a.State) || a.State == copying && v.neverInitialised()
		if a.err == nil && a.SystemID == "" && founding {
			return n.Name + ": is initialising the cluster: " + a.String()
		}
	}
	return ""
}

// initialisingStates are Patroni's states of a PostgreSQL without a system id while its first
// data are created.
var initialisingStates = []string{"initializing new cluster", "running custom bootstrap script", "starting after custom bootstrap", "starting", running}

// copying is Patroni's state of a replica while it copies the data of the leader. The first node of a standby cluster
// has it too, while it copies those of the source.
const copying = "creating replica"

// neverInitialised reports whether the nodes that answer say that the cluster was never
// initialised: none of them has data, there is no leader, and Patroni has no configuration in
// etcd yet.
func (v view) neverInitialised() bool {
	return v.cluster != nil && v.noConfig && v.record == nil && v.holder() == "" && !slices.ContainsFunc(v.nodes, func(n Node) bool { return v.answers[n.Name].SystemID != "" })
}

// withoutOthers says what is missing until a node may change, if as far as is known no other
// node is in the cluster. reason is why there is no leader, or "".
func (g *gate) withoutOthers(v view, reason string) (missing []string, next action, err error) {
	if line := v.initialising(); line != "" {
		return []string{line}, next, nil
	}
	if reason == "" {
		g.leaderlessSince = time.Time{}
	} else if g.leaderlessSince.IsZero() {
		g.leaderlessSince = time.Now()
	}
	switch {
	case reason != "" && time.Since(g.leaderlessSince) < settleTime: // a node may be starting again
		return []string{reason}, next, nil
	case !g.loses || g.mayLose() || g.neverSeen && v.neverInitialised() && v.answers[*g.Without].err == nil:
		return nil, next, nil
	case g.neverSeen && reason != "":
		return []string{reason, adviceNeverSeen}, next, nil
	}
	return nil, next, errDataLost
}
