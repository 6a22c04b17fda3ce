package admin

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Guard is deleted before its member's machine, and only while the others hold
// a quorum without the member. One that was removed from the program is removed
// from the cluster first.
type Guard struct{}

// GuardArgs are the inputs of a Guard.
type GuardArgs struct {
	Gate    string  `pulumi:"gate"`
	Member  string  `pulumi:"member"`
	Machine string  `pulumi:"machine"`
	Data    *string `pulumi:"data,optional"`
	Shared  *bool   `pulumi:"shared,optional"`
}

// GuardState is what is kept of a Guard.
type GuardState struct{ GuardArgs }

// GuardLimit bounds the wait for the others.
const GuardLimit = guard.Limit

// Validate returns what is wrong with a.
func (a GuardArgs) Validate() []check.Problem {
	var l check.List
	l.Required("gate", a.Gate)
	l.Check("member", check.HostName(a.Member))
	l.Required("machine", a.Machine)
	return l
}

// Create checks nothing: a new machine does not endanger the cluster.
func (Guard) Create(_ context.Context, req infer.CreateRequest[GuardArgs]) (infer.CreateResponse[GuardState], error) {
	return infer.CreateResponse[GuardState]{ID: req.Name, Output: GuardState{req.Inputs}}, nil
}

// Update stores the new machine: the former one is gone already.
func (Guard) Update(_ context.Context, req infer.UpdateRequest[GuardArgs, GuardState]) (infer.UpdateResponse[GuardState], error) {
	return infer.UpdateResponse[GuardState]{Output: GuardState{req.Inputs}}, nil
}

// Decide has the guard replaced before its machine is.
func (Guard) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	return guard.Decide[HealthArgs](ctx, req, changes)
}

// leavers are the members of one cluster that were removed from the program and whose machines
// are being deleted. Its guards take turns: the one that could send to turn is checking.
type leavers struct {
	turn    chan struct{}
	gone    []string
	unasked int // machines that are deleted without a check
}

// leaving is what the guards of a gate share.
func leaving(ctx context.Context, gate string) (shared *leavers) {
	running.Note(ctx, running.Beside(ctx, gate), func(now **leavers) {
		if *now == nil {
			*now = &leavers{turn: make(chan struct{}, 1)}
		}
		shared = *now
	})
	return shared
}

// Delete waits until the others can do without the member. The engine deletes
// removed resources in parallel: guards check one after the other, and none
// counts a member that may be deleted.
func (Guard) Delete(ctx context.Context, req infer.DeleteRequest[GuardState]) (infer.DeleteResponse, error) {
	gate, member := req.State.Gate, req.State.Member
	all := leaving(ctx, gate)
	select {
	case all.turn <- struct{}{}:
	case <-ctx.Done():
		return infer.DeleteResponse{}, context.Cause(ctx)
	}
	defer func() { <-all.turn }()
	by, err := guard.Asks[HealthArgs](ctx, gate, member)
	if by == nil && err == nil && ptr.Value(req.State.Shared) {
		return infer.DeleteResponse{}, fmt.Errorf("the machine of %[1]s cannot be deleted together with the cluster: other members are external, and would go on with a dead one. "+
			"Remove %[1]s from members and run `pulumi up` first", member)
	}
	if by == nil || err != nil {
		return infer.DeleteResponse{}, err
	}
	seen, _ := running.Noted[lastSeen](ctx, running.Beside(ctx, gate))
	left, _ := running.Noted[formerMembers](ctx, running.Beside(ctx, gate))
	since, _ := running.Noted[joined](ctx, running.Beside(ctx, gate))
	going := guardCheck{HealthArgs: *by, member: member, gone: all.gone, loses: guard.Loses(ctx), last: string(seen), formerMembers: left, joined: since}
	if ptr.Value(by.SkipHealthChecks) {
		members := len(by.Members) + len(all.gone) // before this update, as far as is known
		if !going.stays() {
			members++
		}
		if most := max(1, tolerated(members)); all.unasked >= most {
			return infer.DeleteResponse{}, fmt.Errorf("the machine of %s cannot be deleted in this update: skipHealthChecks is on, and without health checks at most %d of %d members may be rebuilt or removed in one update", member, most, members)
		}
		all.unasked++
	}
	err = going.await(ctx, notedPasswords(ctx, by.Etcd))
	if err == nil && !going.stays() {
		all.gone = append(all.gone, member)
	}
	return infer.DeleteResponse{}, err
}
