package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Guard goes before its node's machine does: it is deleted only while the
// others can do without the node. It depends on the machine, so the engine
// deletes it first, and again in each update that tries.
type Guard struct{ Programs *Programs }

// GuardArgs are the inputs of a Guard.
type GuardArgs struct {
	Gate    string `pulumi:"gate"`
	Node    Node   `pulumi:"node"`
	Machine string `pulumi:"machine"`
}

// GuardState is what is kept of a Guard.
type GuardState struct {
	Gate    string `pulumi:"gate"`
	Node    Node   `pulumi:"node"`
	Machine string `pulumi:"machine"`
}

// guardLimit bounds the wait for the others: a gate has waited before, so that
// there is little to wait for unless something has happened since.
const guardLimit = 10 * time.Minute

var (
	_ infer.CustomResource[GuardArgs, GuardState] = Guard{}
	_ infer.CustomUpdate[GuardArgs, GuardState]   = Guard{}
	_ infer.CustomDelete[GuardState]              = Guard{}
)

// Validate finds nothing wrong: the cluster's other resources do.
func (GuardArgs) Validate() []check.Problem { return nil }

// Create asks nothing: a machine that is made costs the cluster nothing.
func (Guard) Create(_ context.Context, req infer.CreateRequest[GuardArgs]) (infer.CreateResponse[GuardState], error) {
	return infer.CreateResponse[GuardState]{ID: req.Name, Output: GuardState(req.Inputs)}, nil
}

// Update follows the machine: the one before is gone already.
func (Guard) Update(_ context.Context, req infer.UpdateRequest[GuardArgs, GuardState]) (infer.UpdateResponse[GuardState], error) {
	return infer.UpdateResponse[GuardState]{Output: GuardState(req.Inputs)}, nil
}

// Decide has the guard replaced, its deletion first, while its machine is
// being replaced: only then the id of that is not known.
func (g Guard) Decide(req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	answer := p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
	if req.Inputs.Get("machine").IsComputed() {
		changes["machine"] = p.PropertyDiff{Kind: p.UpdateReplace, InputDiff: true}
		answer.HasChanges, answer.DeleteBeforeReplace = true, true
		if gate := req.Inputs.Get("gate"); gate.IsString() {
			g.Programs.runs(gate.AsString())
		}
	}
	return answer
}

// Delete waits until the others can do without the node. Without a program the
// whole is being destroyed, and nobody is asked.
func (g Guard) Delete(ctx context.Context, req infer.DeleteRequest[GuardState]) (infer.DeleteResponse, error) {
	name := req.State.Node.Name
	now, runs := g.Programs.latest(req.State.Gate)
	switch {
	case !runs:
		return infer.DeleteResponse{}, nil
	case now == nil:
		return infer.DeleteResponse{}, fmt.Errorf("the machine of %s must not go in this update, which leaves out %s: whether the other nodes can do without it cannot be asked. Add it with --target, or run the update without --target",
			name, req.State.Gate)
	}
	asked, err := newGate(ctx, now.without(req.State.Node), HealthState{}, false)
	if err != nil || asked == nil {
		return infer.DeleteResponse{}, err
	}
	asked.limit = guardLimit
	if _, err := asked.wait(ctx); err != nil {
		return infer.DeleteResponse{}, fmt.Errorf("the machine of %s must not go now: %w", name, err)
	}
	return infer.DeleteResponse{}, nil
}

// without is the question whether a cluster can do without a node. One that has
// left the program is among the nodes still: it may lead.
func (a HealthArgs) without(n Node) HealthArgs {
	lag, skip := defaultMaximumLag, a.SkipHealthChecks
	q := HealthArgs{
		Nodes: slices.Clone(a.Nodes), CACert: a.CACert, ClientCert: a.ClientCert, ClientKey: a.ClientKey, Without: &n.Name,
		SynchronousStandbys: a.SynchronousStandbys, MaximumLag: &lag, SkipHealthChecks: skip,
	}
	if !slices.Contains(nodeNames(q.Nodes), n.Name) {
		q.Nodes = append(q.Nodes, n)
	}
	if a.Without != nil && *a.Without == n.Name {
		q.Candidates = a.Candidates
	}
	return q
}
