package health

import (
	"context"
	"fmt"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Guard is deleted before its node's machine, and only while the
// others can do without the node.
type Guard struct{}

// GuardArgs are the inputs of a Guard.
type GuardArgs struct {
	Gate    string  `pulumi:"gate"`
	Node    Node    `pulumi:"node"`
	Machine string  `pulumi:"machine"`
	Data    *string `pulumi:"data,optional"`
	Shared  *bool   `pulumi:"shared,optional"`
}

// GuardState is what is kept of a Guard.
type GuardState struct {
	Gate    string  `pulumi:"gate"`
	Node    Node    `pulumi:"node"`
	Machine string  `pulumi:"machine"`
	Data    *string `pulumi:"data,optional"`
	Shared  *bool   `pulumi:"shared,optional"`
}

var (
	_ infer.CustomResource[GuardArgs, GuardState] = Guard{}
	_ infer.CustomUpdate[GuardArgs, GuardState]   = Guard{}
	_ infer.CustomDelete[GuardState]              = Guard{}
)

// Validate returns what is wrong with a.
func (a GuardArgs) Validate() []check.Problem {
	var l check.List
	l.Required("gate", a.Gate)
	l.Under("node", a.Node.Validate())
	l.Required("machine", a.Machine)
	return l
}

// Create checks nothing: a new machine does not endanger the cluster.
func (Guard) Create(_ context.Context, req infer.CreateRequest[GuardArgs]) (infer.CreateResponse[GuardState], error) {
	return infer.CreateResponse[GuardState]{ID: req.Name, Output: GuardState(req.Inputs)}, nil
}

// Update stores the new machine: the former one is gone already.
func (Guard) Update(_ context.Context, req infer.UpdateRequest[GuardArgs, GuardState]) (infer.UpdateResponse[GuardState], error) {
	return infer.UpdateResponse[GuardState]{Output: GuardState(req.Inputs)}, nil
}

// Decide has the guard replaced before its machine is.
func (Guard) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	return guard.Decide[HealthArgs](ctx, req, changes)
}

// Delete waits until the others can do without the node.
func (Guard) Delete(ctx context.Context, req infer.DeleteRequest[GuardState]) (infer.DeleteResponse, error) {
	name := req.State.Node.Name
	by, err := guard.Asks[HealthArgs](ctx, req.State.Gate, name)
	if by == nil && err == nil && ptr.Value(req.State.Shared) {
		return infer.DeleteResponse{}, fmt.Errorf("the machine of %[1]s cannot be deleted together with the cluster: other nodes are external, and it may lead them, or be the only one that has all commits. "+
			"Give %[1]s `external: true` and run `pulumi up` first, which has the others do without it", name)
	}
	if by == nil || err != nil {
		return infer.DeleteResponse{}, err
	}
	if *by.SkipHealthChecks {
		if other := firstUnchecked(ctx, req.State.Gate, name); other != name {
			return infer.DeleteResponse{}, fmt.Errorf("the machine of %s cannot be deleted in this update: skipHealthChecks is on, and the machine of %s is already being deleted. Committed data may be on these two nodes only: rebuild one node in each update", name, other)
		}
	}
	asked, err := newGate(ctx, by.without(req.State.Node), HealthState{}, false)
	if err != nil || asked == nil {
		return infer.DeleteResponse{}, err
	}
	known, _ := run.Noted[joinedNodes](ctx, run.Beside(ctx, req.State.Gate))
	seen, _ := run.Noted[clusterSeen](ctx, run.Beside(ctx, req.State.Node.address()))
	asked.limit, asked.loses, asked.inCluster, asked.neverSeen = guard.Limit, guard.Loses(ctx), known, true
	if seen {
		asked.takeAsSeen()
	}
	_, err = asked.wait(ctx)
	if err == nil && asked.loses {
		err = asked.client.hasFormer(ctx, asked.Nodes, []string{name})
	}
	if err != nil {
		return infer.DeleteResponse{}, fmt.Errorf("the machine of %s cannot be deleted now: %w", name, err)
	}
	return infer.DeleteResponse{}, nil
}

// firstUnchecked is the one node whose machine may be deleted in this run without a check: the first
// for which it is called. Guards are deleted in parallel.
func firstUnchecked(ctx context.Context, gate, node string) (goes string) {
	type first string
	run.Note(ctx, run.Beside(ctx, gate), func(now *first) {
		if *now == "" {
			*now = first(node)
		}
		goes = string(*now)
	})
	return goes
}

// without has the inputs of a check whether the cluster can do without a node.
// A node that was removed from the program is added to the nodes: it may be the
// leader.
func (a HealthArgs) without(n Node) HealthArgs {
	lag, skip := defaultMaximumLag, a.SkipHealthChecks
	q := HealthArgs{
		Nodes: slices.Clone(a.Nodes), CACert: a.CACert, ClientCert: a.ClientCert, ClientKey: a.ClientKey, Without: &n.Name,
		SynchronousStandbys: a.SynchronousStandbys, MaximumLag: &lag, SkipHealthChecks: skip,
		AllowDataLoss: a.AllowDataLoss, StandbyOf: a.StandbyOf, StandbyBy: a.StandbyBy,
	}
	if !slices.Contains(nodeNames(q.Nodes), n.Name) {
		q.Nodes = append(q.Nodes, n)
	}
	if a.Without != nil && *a.Without == n.Name {
		q.Candidates = a.Candidates
	}
	return q
}
