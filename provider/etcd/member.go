package etcd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Member is a machine's place in an etcd cluster.
type Member struct{}

// MemberArgs are the inputs of a Member.
type MemberArgs struct {
	Etcd             host.EtcdConnection `pulumi:"etcd"`
	Name             string              `pulumi:"name,optional"`
	IP               string              `pulumi:"ip"`
	Generation       *string             `pulumi:"generation,optional"`
	Triggers         map[string]string   `pulumi:"triggers,optional"`
	SkipHealthChecks *bool               `pulumi:"skipHealthChecks,optional"`
}

// MemberState is what is kept of a Member.
type MemberState struct {
	MemberArgs
	MemberID string `pulumi:"memberId"`
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

// Create brings the machine into the cluster. While there is no cluster yet,
// its members are about to found it, and there is nothing to do.
func (Member) Create(ctx context.Context, req infer.CreateRequest[MemberArgs]) (infer.CreateResponse[MemberState], error) {
	out := infer.CreateResponse[MemberState]{ID: req.Inputs.Name, Output: MemberState{MemberArgs: req.Inputs}}
	if req.DryRun {
		return out, nil
	}
	if !founded(ctx, req.Inputs.Etcd) {
		return out, nil
	}
	var err error
	out.Output.MemberID, err = join(ctx, req.Inputs, nil)
	return out, err
}

// Update brings the machine into the cluster again.
func (Member) Update(ctx context.Context, req infer.UpdateRequest[MemberArgs, MemberState]) (infer.UpdateResponse[MemberState], error) {
	out := infer.UpdateResponse[MemberState]{Output: MemberState{MemberArgs: req.Inputs, MemberID: req.State.MemberID}}
	if req.DryRun {
		return out, nil
	}
	var err error
	out.Output.MemberID, err = join(ctx, req.Inputs, &req.State.Etcd)
	return out, err
}

// Delete removes the member from the cluster, as long as there is one.
func (Member) Delete(ctx context.Context, req infer.DeleteRequest[MemberState]) (infer.DeleteResponse, error) {
	err := With(ctx, req.State.Etcd, func(ctx context.Context, client *clientv3.Client) error {
		v, err := look(ctx, client)
		if err != nil {
			return err
		}
		if m := v.find(req.State.Name, req.State.IP); m != nil && len(v.list) > 1 {
			return v.remove(ctx, m)
		}
		return nil
	})
	return infer.DeleteResponse{}, deleted(ctx, "member "+req.State.Name, err)
}

// join waits until the member votes and is healthy, and does what it takes.
func join(ctx context.Context, a MemberArgs, known *host.EtcdConnection) (id string, err error) {
	if value(a.SkipHealthChecks) {
		return "", skipped(ctx)
	}
	err = wait.Until(ctx, memberLimit, func(ctx context.Context) (missing string, err error) {
		err = asRoot(ctx, a.Etcd, known, func(ctx context.Context, client *clientv3.Client) error {
			v, err := look(ctx, client)
			if err != nil {
				return err
			}
			missing, err = v.bringIn(ctx, a)
			if m := v.find(a.Name, a.IP); m != nil {
				id = fmt.Sprintf("%x", m.ID)
			}
			return err
		})
		if notNow(err) {
			missing, err = reason(err), nil
		}
		if err == nil && missing == "" && a.Generation != nil {
			missing, err = wait.Applied(ctx, a.IP, *a.Generation)
		}
		return missing, err
	})
	if err != nil {
		return id, advised(fmt.Errorf("%s: %w", a.Name, err), a.IP)
	}
	return id, nil
}

// bringIn does the next step of bringing a member in, and says what is missing
// still.
func (v view) bringIn(ctx context.Context, a MemberArgs) (missing string, err error) {
	m := v.find(a.Name, a.IP)
	if m == nil {
		_, err := v.client.MemberAddAsLearner(ctx, []string{peerURL(a.IP)})
		return "added as a learner, it has not started yet", err
	}
	if !slices.Contains(m.PeerURLs, peerURL(a.IP)) { // its machine has another address now
		_, err := v.client.MemberUpdate(ctx, m.ID, []string{peerURL(a.IP)})
		return "it has not started at its new address yet", err
	}
	s, wrong := v.status(ctx, endpoint(a.IP))
	page, waits := joining{}, false
	if wrong != "" {
		page, waits = joiningAt(ctx, a.Etcd, a.IP)
	}
	switch {
	case waits && page.State == blank && started(m):
		return "its data are gone: it is removed, to be added again", v.remove(ctx, m)
	case waits:
		return "it waits to join: " + page.Reason, nil
	case wrong != "":
		return wrong, nil
	case m.IsLearner:
		return "it is a learner and receives the data", v.promote(ctx, m, s.Leader)
	}
	return "", nil
}

// promote has a learner vote. It asks the leader itself: what another member
// passes on to that comes without the user, and is refused where
// authentication is on.
func (v view) promote(ctx context.Context, learner *etcdserverpb.Member, leader uint64) error {
	i := slices.IndexFunc(v.list, func(m *etcdserverpb.Member) bool { return m.ID == leader })
	if i < 0 {
		return rpctypes.ErrNoLeader
	}
	connection, err := v.client.Dial(first(v.list[i].ClientURLs))
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = clientv3.NewClusterFromClusterClient(etcdserverpb.NewClusterClient(connection), v.client).MemberPromote(ctx, learner.ID)
	return err
}

// remove takes a member out, unless those that stay could not hold the quorum.
func (v view) remove(ctx context.Context, m *etcdserverpb.Member) error {
	healthy, voters := 0, 0
	for _, other := range v.list {
		if other.ID == m.ID || other.IsLearner {
			continue
		}
		voters++
		if s, err := v.client.Status(ctx, first(other.ClientURLs)); err == nil && s.Leader != 0 {
			healthy++
		}
	}
	if !m.IsLearner && (voters == 0 || healthy < quorum(voters)) {
		return fmt.Errorf("%s must not be removed: of the %d members that would stay only %d are healthy, and %d are needed", m.Name, voters, healthy, quorum(voters))
	}
	_, err := v.client.MemberRemove(ctx, m.ID)
	return err
}
