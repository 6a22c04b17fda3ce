package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Member is a machine's place in an etcd cluster.
type Member struct{}

// MemberArgs are the inputs of a Member.
type MemberArgs struct {
	Etcd             host.EtcdConnection `pulumi:"etcd"`
	Name             string              `pulumi:"name,optional" provider:"replaceOnChanges"`
	ClusterID        *string             `pulumi:"clusterId,optional"`
	IP               string              `pulumi:"ip"`
	Generation       *string             `pulumi:"generation,optional"`
	Triggers         map[string]string   `pulumi:"triggers,optional"`
	SkipHealthChecks *bool               `pulumi:"skipHealthChecks,optional"`
}

// MemberState is what is kept of a Member.
type MemberState struct {
	MemberArgs
	MemberID      string   `pulumi:"memberId"`
	RootPasswords []string `pulumi:"rootPasswords,optional" provider:"secret"`
}

// memberLimit bounds the wait for a member, whose machine may have to boot,
// install its packages and receive all data.
const memberLimit = 30 * time.Minute

// Validate returns what is wrong with a.
func (a MemberArgs) Validate() []check.Problem {
	var l check.List
	l.Under("etcd", a.Etcd.Validate(time.Now()))
	l.Check("name", check.HostName(a.Name))
	l.Check("ip", check.IP(a.IP))
	return l
}

// Decide ignores the cluster's id: it is used only when the member is created.
func (Member) Decide(_ context.Context, _ p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	delete(changes, "clusterId")
	return p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
}

// Create brings the machine into the cluster. If there is no cluster yet, its
// members are about to found it, and there is nothing to do. With the id of a
// cluster there is one, and Create waits for it if it does not answer.
func (Member) Create(ctx context.Context, req infer.CreateRequest[MemberArgs]) (infer.CreateResponse[MemberState], error) {
	out := infer.CreateResponse[MemberState]{ID: req.Inputs.Name, Output: MemberState{MemberArgs: req.Inputs}}
	if req.DryRun {
		return out, nil
	}
	if !ptr.Value(req.Inputs.SkipHealthChecks) && ptr.Value(req.Inputs.ClusterID) == "" && !founded(ctx, req.Inputs.Etcd) {
		return out, nil
	}
	return out, join(ctx, &out.Output, nil, newRootLogin(req.Inputs.Etcd, nil, notedPasswords(ctx, req.Inputs.Etcd)), false)
}

// Update brings the machine into the cluster again.
func (Member) Update(ctx context.Context, req infer.UpdateRequest[MemberArgs, MemberState]) (infer.UpdateResponse[MemberState], error) {
	out := infer.UpdateResponse[MemberState]{Output: MemberState{MemberArgs: req.Inputs, MemberID: req.State.MemberID}}
	if req.DryRun {
		return out, nil
	}
	recovery := req.Inputs.Triggers[recoveryTrigger]
	recovers := recovery != "" && recovery != req.State.Triggers[recoveryTrigger]
	return out, join(ctx, &out.Output, &req.State, newRootLogin(req.Inputs.Etcd, &req.State.Etcd, req.State.RootPasswords), recovers)
}

// Delete removes the member from the cluster, as long as there is one.
func (Member) Delete(ctx context.Context, req infer.DeleteRequest[MemberState]) (infer.DeleteResponse, error) {
	err := Delete(ctx, Object{Kind: "member", Name: req.State.Name, By: req.State.Etcd}, func(ctx context.Context, client *clientv3.Client) error {
		v, err := look(ctx, client, req.State.Etcd)
		if err != nil {
			return err
		}
		m := v.find(req.State.Name, req.State.IP)
		if m == nil || len(v.list) == 1 {
			return nil
		}
		if reason := v.needed(m); reason != "" {
			return errors.New(reason)
		}
		_, err = v.remove(ctx, m)
		return err
	})
	return infer.DeleteResponse{}, err
}

// recoveryTrigger is the trigger with the id of a recovery.
const recoveryTrigger = "recovery"

// join brings the member in, and waits until it votes and is healthy. If the
// cluster recovers, it has no quorum at first, and join waits for that.
func join(ctx context.Context, m, before *MemberState, root *rootLogin, recovers bool) error {
	m.RootPasswords = root.keep()
	if ptr.Value(m.SkipHealthChecks) {
		return skipped(ctx)
	}
	lost := quorumLoss{reports: &recentReports{etcd: m.Etcd}, patient: recovers}
	waits := wait.For{Limit: memberLimit, Machines: []wait.Machine{{Name: m.Name, IP: m.IP, Port: ports.EtcdClient, RanBefore: m.ranBefore(before)}}, Of: m.Name}
	err := waits.Until(ctx, func(ctx context.Context) (missing string, err error) {
		err = root.do(ctx, func(ctx context.Context, client *clientv3.Client) error {
			v, err := look(ctx, client, m.Etcd, m.IP)
			if err != nil {
				return err
			}
			missing, err = v.bringIn(ctx, m.MemberArgs)
			if found := v.find(m.Name, m.IP); found != nil {
				m.MemberID = fmt.Sprintf("%x", found.ID)
			}
			return err
		})
		// The machine may be about to set the password, or to recover.
		if m.Generation != nil && (errors.Is(err, errNotRoot) || recovers && notNow(err)) {
			if missing, failed := wait.Applied(ctx, m.IP, *m.Generation); missing != "" || failed != nil {
				return missing, failed
			}
		}
		if missing, err = lost.explain(ctx, missing, err); err == nil && missing == "" && m.Generation != nil {
			return wait.Applied(ctx, m.IP, *m.Generation)
		}
		return missing, err
	})
	m.RootPasswords = root.keep()
	if err != nil {
		return advised(fmt.Errorf("%s: %w", m.Name, err), m.IP)
	}
	return nil
}
