package health

import (
	"context"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Before a cluster is founded nobody leads, and no node has data. A machine that never came up
// may need another image, so it may be rebuilt while nobody answers. That does not tell such a
// cluster from one that is off: a guard goes by what gates saw, also those that failed. It
// knows of those that the engine asks about before: the last one, and that of its node. In a
// first update that failed earlier others may have seen a leader: data that may be there stay.

// notFoundedYet is what else to say of a cluster that no gate has seen.
const notFoundedYet = "No update of this cluster has completed yet. If PostgreSQL never ran, `pulumi destroy` loses nothing; then run `pulumi up` again"

// unreached is what else to say where nobody answers of a cluster that a gate has seen.
const unreached = "The cluster was initialised before, and one of its nodes may be the leader. If the machines are off, `pulumi up --refresh` starts them; otherwise repair the network to them"

// everSeen is whether a gate has seen the cluster of a node, noted by the node's address:
// the names of some gates do not tell which is the first one of their cluster.
type everSeen bool

// noteSeen keeps what a look shows of the cluster, for this gate and for guards.
func (g *gate) noteSeen(ctx context.Context) {
	if id := g.last.answers[g.last.holder()].SystemID; id != "" {
		g.saw = id
		noteEverSeen(ctx, g.Nodes)
	}
}

func noteEverSeen(ctx context.Context, nodes []Node) {
	for _, n := range nodes {
		run.Note(ctx, run.Beside(ctx, n.address()), func(now *everSeen) { *now = true })
	}
}

// noteSeenBefore does so by the state of a gate. That the last gate is there is enough: an
// update with it has ended, or it saw the cluster and failed.
func noteSeenBefore(ctx context.Context, req p.DiffRequest) {
	if text(req.State.Get("systemId")) != "" || strings.HasSuffix(req.Urn.Name(), "-healthy") {
		noteEverSeen(ctx, nodesOf(req.OldInputs.Get("nodes")))
	}
}

// kept keeps of a gate that failed which cluster it saw: the next update must not take that
// for one that was never founded. It keeps no nodes, of which it might excuse some then.
func (g *gate) kept(failed error) (HealthState, error) {
	if g.saw == "" {
		return g.state(), failed
	}
	return HealthState{Nodes: []Node{}, Members: []string{}, Joined: []string{}, SystemID: g.saw}, keptError{failed}
}

// isKept tells by the state of a gate whether it failed, and is to try again: a refresh in
// between takes from the engine that it has to.
func isKept(req p.DiffRequest) bool {
	return len(nodesOf(req.State.Get("nodes"))) == 0 && len(nodesOf(req.OldInputs.Get("nodes"))) > 0
}

// keptError is of a gate that failed and is kept all the same, so that the next update has
// what it saw, and tries again.
type keptError struct{ error }

// As has infer keep the state.
func (e keptError) As(target any) bool {
	kept, is := target.(*infer.ResourceInitFailedError)
	if is {
		kept.Reasons = []string{e.Error()}
	}
	return is
}

// founding says which node is making the first data of the cluster. If its machine went
// then, all would wait for it: Patroni has noted in etcd that it began.
func (v view) founding() string {
	for _, n := range v.nodes {
		a := v.answers[n.Name]
		if a.err == nil && a.SystemID == "" && slices.Contains(busy, a.State) {
			return n.Name + ": is initialising the cluster: " + a.String()
		}
	}
	return ""
}

// busy are the states of a PostgreSQL whose data are being made.
var busy = []string{"initializing new cluster", "running custom bootstrap script", "starting after custom bootstrap", "starting", running}

// unfounded tells whether nodes say that the cluster was never founded: none that answers
// has data, nobody leads, and Patroni has not kept its configuration in etcd yet.
func (v view) unfounded() bool {
	return v.cluster != nil && v.noConfig && v.holder() == "" && !slices.ContainsFunc(v.nodes, func(n Node) bool { return v.answers[n.Name].SystemID != "" })
}

// alone says what is missing until a node may change that has no others, as far as is known.
func (g *gate) alone(v view, reason string) (missing []string, next action, err error) {
	if line := v.founding(); line != "" {
		return []string{line}, next, nil
	}
	if reason == "" {
		g.aloneSince = time.Time{}
	} else if g.aloneSince.IsZero() {
		g.aloneSince = time.Now()
	}
	switch {
	case reason != "" && time.Since(g.aloneSince) < settled: // a node may be starting again
		return []string{reason}, next, nil
	case !g.loses || g.mayLose() || g.unseen && v.unfounded() && v.answers[*g.Without].err == nil:
		return nil, next, nil
	case g.unseen && reason != "":
		return []string{reason, notFoundedYet}, next, nil
	}
	return nil, next, errDataLost
}
