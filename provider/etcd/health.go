package etcd

import (
	"context"
	"errors"
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
	return out, a.await(ctx, &out.Output, nil)
}

// Update waits for the cluster again, unless it is for a change that does not come.
func (Health) Update(ctx context.Context, req infer.UpdateRequest[HealthArgs, HealthState]) (infer.UpdateResponse[HealthState], error) {
	out := infer.UpdateResponse[HealthState]{Output: req.Inputs.state()}
	out.Output.ClusterID, out.Output.MemberIDs = req.State.ClusterID, req.State.MemberIDs
	req.Inputs.warn(ctx, req.State.HealthArgs)
	if req.DryRun || req.Inputs.Without != nil && maps.Equal(req.Inputs.Triggers, req.State.Triggers) {
		return out, nil
	}
	return out, req.Inputs.await(ctx, &out.Output, &req.State)
}

// WireDependencies has previews know what another look at the same members does
// not change: what depends on it does not change then.
func (Health) WireDependencies(f infer.FieldSelector, _ *HealthArgs, s *HealthState) {
	for _, m := range s.Members {
		if s.MemberIDs[m.Name] == "" || m.IP == "" {
			return
		}
	}
	if len(s.MemberIDs) == len(s.Members) {
		f.OutputField(&s.ClusterID).AlwaysKnown()
		f.OutputField(&s.MemberIDs).AlwaysKnown()
		f.OutputField(&s.Endpoints).AlwaysKnown()
	}
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

// await waits, and notes in s what it sees.
func (a HealthArgs) await(ctx context.Context, s, before *HealthState) error {
	var known *host.EtcdConnection
	if before != nil {
		known = &before.Etcd
	}
	if value(a.SkipHealthChecks) {
		s.ClusterID = "" // whatever is there next
		return skipped(ctx)
	}
	err := wait.Until(ctx, healthLimit, func(ctx context.Context) (missing string, err error) {
		err = asRoot(ctx, a.Etcd, known, func(ctx context.Context, client *clientv3.Client) error {
			v, err := look(ctx, client)
			if err != nil {
				return err
			}
			if id := fmt.Sprintf("%x", v.id); before != nil && before.ClusterID != "" && id != before.ClusterID {
				return fmt.Errorf("this is another cluster: its id is %s, and was %s. If that is what you want, skipHealthChecks for one up takes it", id, before.ClusterID)
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
	return advised(err, a.ips()...)
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

// advised is err and, of a wait that ended in vain, what to do about it.
func advised(err error, ips ...string) error {
	if ended := (wait.EndedError{}); !errors.As(err, &ended) {
		return err
	}
	advice := fmt.Sprintf("Look at the machine: `journalctl -u etcd -u quorum-apply` on %s. "+
		"The next up goes on here. If the cluster is lost as a whole, or its machines cannot be reached from here, skipHealthChecks lets the update pass.", check.Or(ips))
	return fmt.Errorf("%w\n%s", err, advice)
}
