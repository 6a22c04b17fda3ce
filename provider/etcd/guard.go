package etcd

import (
	"context"
	"slices"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Guard goes before its member's machine does: it is deleted only while the
// others hold a quorum without the member.
type Guard struct{}

// GuardArgs are the inputs of a Guard.
type GuardArgs struct {
	Gate    string `pulumi:"gate"`
	Member  string `pulumi:"member"`
	Machine string `pulumi:"machine"`
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

// Create asks nothing: a machine that is made costs the cluster nothing.
func (Guard) Create(_ context.Context, req infer.CreateRequest[GuardArgs]) (infer.CreateResponse[GuardState], error) {
	return infer.CreateResponse[GuardState]{ID: req.Name, Output: GuardState{req.Inputs}}, nil
}

// Update follows the machine: the one before is gone already.
func (Guard) Update(_ context.Context, req infer.UpdateRequest[GuardArgs, GuardState]) (infer.UpdateResponse[GuardState], error) {
	return infer.UpdateResponse[GuardState]{Output: GuardState{req.Inputs}}, nil
}

// Decide has the guard replaced before its machine is.
func (Guard) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	return guard.Decide[HealthArgs](ctx, req, changes)
}

// leavers are the members that left the program and whose machines go, of one
// cluster. Its guards take turns.
type leavers struct {
	turn sync.Mutex
	gone []string
}

// Delete waits until the others can do without the member. The engine deletes
// what left the program side by side: guards ask one after the other, and none
// counts on a member that may go.
func (Guard) Delete(ctx context.Context, req infer.DeleteRequest[GuardState]) (infer.DeleteResponse, error) {
	gate, member := req.State.Gate, req.State.Member
	var leaving *leavers
	running.Note(ctx, gate, func(now **leavers) {
		if *now == nil {
			*now = &leavers{}
		}
		leaving = *now
	})
	leaving.turn.Lock()
	defer leaving.turn.Unlock()
	by, err := guard.Asks[HealthArgs](ctx, gate, member)
	if by == nil || err != nil {
		return infer.DeleteResponse{}, err
	}
	passwords, _ := running.Noted[rootPasswords](ctx, gate)
	err = spare(ctx, *by, member, passwords, leaving.gone)
	if err == nil && !slices.Contains(by.names(), member) {
		leaving.gone = append(leaving.gone, member)
	}
	return infer.DeleteResponse{}, err
}

// spare waits until a cluster can do without a member, whose machine is about
// to go, and without those that are gone. Passwords are others that root may have.
func spare(ctx context.Context, a HealthArgs, member string, passwords, gone []string) error {
	if value(a.SkipHealthChecks) {
		return skipped(ctx)
	}
	quorum := Quorum
	a.Require, a.Without, a.RemoveOthers = &quorum, &member, nil
	root, lost := newRootLogin(a.Etcd, nil, passwords), loss{etcd: a.Etcd, members: a.Members}
	err := wait.Until(ctx, GuardLimit, func(ctx context.Context) (missing string, err error) {
		err = root.do(ctx, func(ctx context.Context, client *clientv3.Client) error {
			v, err := look(ctx, client, a.Etcd, a.ips()...)
			if err == nil {
				v.lose(gone)
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
