package etcd

import (
	"context"
	"fmt"
	"slices"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Guard goes before its member's machine does: it is deleted only while the
// others hold a quorum without the member. It depends on the machine, so the
// engine deletes it first, and again in each update that tries.
type Guard struct{ Programs *Programs }

// GuardArgs are the inputs of a Guard.
type GuardArgs struct {
	Gate    string `pulumi:"gate"`
	Member  string `pulumi:"member"`
	Machine string `pulumi:"machine"`
}

// GuardState is what is kept of a Guard.
type GuardState struct{ GuardArgs }

// GuardLimit bounds the wait for the others, of which one may be starting again.
const GuardLimit = 10 * time.Minute

// Validate finds nothing wrong: the cluster's other resources do.
func (GuardArgs) Validate() []check.Problem { return nil }

// Create asks nothing: a machine that is made costs the cluster nothing.
func (Guard) Create(_ context.Context, req infer.CreateRequest[GuardArgs]) (infer.CreateResponse[GuardState], error) {
	return infer.CreateResponse[GuardState]{ID: req.Name, Output: GuardState{req.Inputs}}, nil
}

// Update follows the machine: the one before is gone already.
func (Guard) Update(_ context.Context, req infer.UpdateRequest[GuardArgs, GuardState]) (infer.UpdateResponse[GuardState], error) {
	return infer.UpdateResponse[GuardState]{Output: GuardState{req.Inputs}}, nil
}

// Decide has the guard replaced, its deletion first, while its machine is
// being replaced: only then the id of that is not known.
func (g Guard) Decide(req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	answer := p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
	if req.Inputs.Get("machine").IsComputed() {
		changes["machine"] = p.PropertyDiff{Kind: p.UpdateReplace, InputDiff: true}
		answer.HasChanges, answer.DeleteBeforeReplace = true, true
		g.Programs.note(text(req.Inputs.Get("gate")), func(p *plan) { p.replaced = append(p.replaced, text(req.Inputs.Get("member"))) })
	}
	return answer
}

// Delete waits until the others can do without the member. Without a program
// the whole is being destroyed, and nobody is asked. The engine deletes what left
// the program side by side: none of it may count on another.
func (g Guard) Delete(ctx context.Context, req infer.DeleteRequest[GuardState]) (infer.DeleteResponse, error) {
	defer g.Programs.inTurn()()
	now, runs := g.Programs.latest(req.State.Gate)
	switch {
	case !runs:
		return infer.DeleteResponse{}, nil
	case now.gate == nil:
		return infer.DeleteResponse{}, fmt.Errorf("the machine of %s must not go in this update, which leaves out %s: whether the other members hold a quorum cannot be asked. Add it with --target, or run the update without --target",
			req.State.Member, req.State.Gate)
	}
	err := spare(ctx, *now.gate, req.State.Member, now)
	if err == nil && !slices.Contains(now.replaced, req.State.Member) {
		g.Programs.note(req.State.Gate, func(p *plan) { p.gone = append(p.gone, req.State.Member) })
	}
	return infer.DeleteResponse{}, err
}

// spare waits until a cluster can do without a member, whose machine is about
// to go, and without those that went.
func spare(ctx context.Context, a HealthArgs, member string, now plan) error {
	if value(a.SkipHealthChecks) {
		return skipped(ctx)
	}
	quorum := Quorum
	a.Require, a.Without, a.RemoveOthers = &quorum, &member, nil
	root, lost := newRootLogin(a.Etcd, nil, now.passwords), loss{etcd: a.Etcd, members: a.Members}
	err := wait.Until(ctx, GuardLimit, func(ctx context.Context) (missing string, err error) {
		err = root.do(ctx, func(ctx context.Context, client *clientv3.Client) error {
			v, err := look(ctx, client, a.Etcd, a.ips()...)
			if err == nil {
				v.lose(now.gone)
				missing, err = a.next(ctx, v)
			}
			return err
		})
		return lost.explain(ctx, missing, err)
	})
	return advised(err, a.ips()...)
}

// lose counts members as dead whose machines are going, and may answer still.
func (v view) lose(names []string) {
	for _, m := range v.list {
		for _, url := range m.ClientURLs {
			if slices.Contains(names, m.Name) {
				v.answers[hostPort(url)] = answer{fault: "is being destroyed"}
			}
		}
	}
}
