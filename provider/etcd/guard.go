package etcd

import (
	"context"

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

// Decide has the guard replaced before its machine is.
func (Guard) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	return guard.Decide[HealthArgs](ctx, req, changes)
}

// Delete waits until the others can do without the member.
func (Guard) Delete(ctx context.Context, req infer.DeleteRequest[GuardState]) (infer.DeleteResponse, error) {
	by, err := guard.Asks[HealthArgs](ctx, req.State.Gate, req.State.Member)
	if by == nil || err != nil {
		return infer.DeleteResponse{}, err
	}
	passwords, _ := running.Noted[rootPasswords](ctx, req.State.Gate)
	return infer.DeleteResponse{}, Spare(ctx, *by, req.State.Member, passwords)
}

// Spare waits until a cluster can do without a member, whose machine is about
// to go or to restart. Passwords are others that root may have.
func Spare(ctx context.Context, a HealthArgs, member string, passwords []string) error {
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
				missing, err = a.next(ctx, v)
			}
			return err
		})
		return lost.explain(ctx, missing, err)
	})
	return advised(err, a.ips()...)
}
