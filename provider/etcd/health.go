package etcd

import (
	"context"
	"fmt"
	"maps"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Health is a gate: an update passes it when an etcd cluster is healthy.
type Health struct{}

// HealthArgs are the inputs of a Health.
type HealthArgs struct {
	Etcd             host.EtcdConnection `pulumi:"etcd"`
	Members          []HealthMember      `pulumi:"members"`
	Require          *Requirement        `pulumi:"require,optional"`
	Without          *string             `pulumi:"without,optional"`
	RemoveOthers     *bool               `pulumi:"removeOthers,optional"`
	Version          *string             `pulumi:"version,optional"`
	Authority        *string             `pulumi:"authority,optional"`
	Triggers         map[string]string   `pulumi:"triggers,optional"`
	SkipHealthChecks *bool               `pulumi:"skipHealthChecks,optional"`
}

// HealthMember is a member that has to be healthy.
type HealthMember struct {
	Name       string  `pulumi:"name"`
	IP         string  `pulumi:"ip"`
	Generation *string `pulumi:"generation,optional"`
}

// Requirement is how much of a cluster has to be healthy.
type Requirement string

// The requirements.
const (
	All    Requirement = "all"
	Quorum Requirement = "quorum"
)

// HealthState is what is kept of a Health.
type HealthState struct {
	HealthArgs
	ClusterID string            `pulumi:"clusterId"`
	MemberIDs map[string]string `pulumi:"memberIds,optional"`
	Endpoints []string          `pulumi:"endpoints,optional"`
}

// healthLimit bounds the wait for a cluster, whose machines may have to boot
// and install their packages.
const healthLimit = 30 * time.Minute

// Create waits for the cluster. A quorum it does not wait for: members that
// are about to found a cluster have none.
func (Health) Create(ctx context.Context, req infer.CreateRequest[HealthArgs]) (infer.CreateResponse[HealthState], error) {
	a := req.Inputs
	out := infer.CreateResponse[HealthState]{ID: req.Name, Output: a.state()}
	if req.DryRun || *a.Require == Quorum && !founded(ctx, a.Etcd) {
		return out, nil
	}
	return out, a.await(ctx, &out.Output)
}

// Update waits for the cluster again, unless it is for a change that does not come.
func (Health) Update(ctx context.Context, req infer.UpdateRequest[HealthArgs, HealthState]) (infer.UpdateResponse[HealthState], error) {
	out := infer.UpdateResponse[HealthState]{Output: req.Inputs.state()}
	out.Output.ClusterID, out.Output.MemberIDs = req.State.ClusterID, req.State.MemberIDs
	if req.DryRun || req.Inputs.Without != nil && maps.Equal(req.Inputs.Triggers, req.State.Triggers) {
		return out, nil
	}
	return out, req.Inputs.await(ctx, &out.Output)
}

// Delete leaves the cluster alone.
func (Health) Delete(context.Context, infer.DeleteRequest[HealthState]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, nil
}

func (a HealthArgs) state() HealthState {
	s := HealthState{HealthArgs: a, MemberIDs: map[string]string{}}
	for _, m := range a.Members {
		s.Endpoints = append(s.Endpoints, endpoint(m.IP))
	}
	return s
}

func (a HealthArgs) ips() (all []string) {
	for _, m := range a.Members {
		all = append(all, m.IP)
	}
	return all
}

func (a HealthArgs) await(ctx context.Context, s *HealthState) error {
	if value(a.SkipHealthChecks) {
		return skipped(ctx)
	}
	err := wait.Until(ctx, healthLimit, func(ctx context.Context) (missing string, err error) {
		err = With(ctx, a.Etcd, func(ctx context.Context, client *clientv3.Client) error {
			v, err := look(ctx, client)
			if err != nil {
				return err
			}
			s.remember(v, a.Members)
			if err := a.upgradable(ctx, v); err != nil {
				return err
			}
			missing, err = a.next(ctx, v)
			return err
		})
		if notNow(err) {
			return reason(err), nil
		}
		return missing, err
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, whatToDo(a.ips()...))
	}
	return nil
}

// remember notes who the cluster and its members are.
func (s *HealthState) remember(v view, members []HealthMember) {
	s.ClusterID = fmt.Sprintf("%x", v.id)
	clear(s.MemberIDs)
	for _, m := range members {
		if found := v.find(m.Name, m.IP); found != nil {
			s.MemberIDs[m.Name] = fmt.Sprintf("%x", found.ID)
		}
	}
}

// skipped says on the console that nothing was waited for.
func skipped(ctx context.Context) error {
	p.GetLogger(ctx).Warning("skipHealthChecks: nothing was waited for")
	return nil
}

// whatToDo helps with a wait that ended in vain.
func whatToDo(ips ...string) string {
	return fmt.Sprintf("Look at the machine: `journalctl -u etcd -u quorum-apply` on %s. "+
		"The next up goes on here. If the cluster is lost as a whole, or its machines cannot be reached from here, skipHealthChecks lets the update pass.", check.Or(ips))
}
