package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Health is a gate: an update passes it when an etcd cluster is healthy. What
// it is asked for counts for the guards of the same cluster, too.
type Health struct{}

// HealthArgs are the inputs of a Health.
type HealthArgs struct {
	Etcd             host.EtcdConnection `pulumi:"etcd"`
	Members          []HealthMember      `pulumi:"members"`
	Require          *Requirement        `pulumi:"require,optional"`
	Without          *string             `pulumi:"without,optional"`
	RemoveOthers     *bool               `pulumi:"removeOthers,optional"`
	AllowDataLoss    *bool               `pulumi:"allowDataLoss,optional"`
	Data             map[string]string   `pulumi:"data,optional"`
	Recovery         *string             `pulumi:"recovery,optional"`
	Version          *string             `pulumi:"version,optional"`
	Authority        *string             `pulumi:"authority,optional"`
	Triggers         map[string]string   `pulumi:"triggers,optional"`
	Defragment       *string             `pulumi:"defragment,optional"`
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
	ClusterID     string            `pulumi:"clusterId"`
	Revision      int               `pulumi:"revision,optional"`
	Identity      string            `pulumi:"identity,optional"`
	Updates       int               `pulumi:"updates,optional"`
	MemberIDs     map[string]string `pulumi:"memberIds,optional"`
	Endpoints     []string          `pulumi:"endpoints,optional"`
	RootPasswords []string          `pulumi:"rootPasswords,optional" provider:"secret"`
}

// healthLimit bounds the wait for a cluster, whose machines may have to boot
// and install their packages.
const healthLimit = 30 * time.Minute

// Check notes that a program is there, which says how the cluster is reached now.
func (Health) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[HealthArgs], error) {
	args, failures, err := infer.DefaultCheck[HealthArgs](ctx, req.NewInputs)
	if err == nil && len(failures) == 0 {
		guard.Says(ctx, req.Name, func(*HealthArgs) HealthArgs { return args })
	}
	return infer.CheckResponse[HealthArgs]{Inputs: args, Failures: failures}, err
}

// rootPasswords are those that root may have besides that which a gate is given.
type rootPasswords []string

// Decide notes the passwords that root may have, from the state before.
func (Health) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	var passwords []string
	if before := req.OldInputs.Get("etcd"); before.IsMap() {
		passwords = append(passwords, text(before.AsMap().Get("password")))
	}
	if kept := req.State.Get("rootPasswords"); kept.IsArray() {
		for _, password := range kept.AsArray().All {
			passwords = append(passwords, text(password))
		}
	}
	running.Note(ctx, running.Beside(ctx, req.Urn.Name()), func(now *rootPasswords) { *now = distinct(passwords, "") })
	return p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
}

// Create waits for the cluster. A quorum it does not wait for: members that
// are about to found a cluster have none.
func (Health) Create(ctx context.Context, req infer.CreateRequest[HealthArgs]) (infer.CreateResponse[HealthState], error) {
	a := req.Inputs
	out := infer.CreateResponse[HealthState]{ID: req.Name, Output: a.state()}
	if req.DryRun || !value(a.SkipHealthChecks) && *a.Require == Quorum && !founded(ctx, a.Etcd) {
		return out, nil
	}
	return out, a.await(ctx, &out.Output, nil)
}

// Update waits for the cluster again, unless it is for a change that does not come.
func (Health) Update(ctx context.Context, req infer.UpdateRequest[HealthArgs, HealthState]) (infer.UpdateResponse[HealthState], error) {
	a, before := req.Inputs, req.State
	out := infer.UpdateResponse[HealthState]{Output: a.state()}
	out.Output.ClusterID, out.Output.Revision, out.Output.Identity, out.Output.MemberIDs = before.ClusterID, before.Revision, before.Identity, before.MemberIDs
	out.Output.Updates = before.Updates + 1
	out.Output.RootPasswords = newRootLogin(a.Etcd, &before.Etcd, before.RootPasswords).keep()
	a.warn(ctx, before.HealthArgs)
	if err := a.foresee(ctx, before); err != nil {
		return out, err
	}
	if req.DryRun || a.asksAsBefore(before.HealthArgs) {
		return out, nil
	}
	if a.recovers(before.HealthArgs) || a.stillRecovers(ctx, before) {
		if out.Output.Revision = 0; *a.Require == Quorum {
			return out, nil
		}
		before.Revision = 0
	}
	if before.ClusterID == "" && !value(a.SkipHealthChecks) && *a.Require == Quorum && aboutToFound(ctx, a.Etcd) {
		return out, nil
	}
	return out, a.await(ctx, &out.Output, &before)
}

// WireDependencies has previews know what another look at the same members does
// not change: what depends on it does not change then.
func (Health) WireDependencies(f infer.FieldSelector, _ *HealthArgs, s *HealthState) {
	for _, m := range s.Members {
		if s.MemberIDs[m.Name] == "" || m.IP == "" {
			return
		}
	}
	if len(s.Members) > 0 && len(s.MemberIDs) == len(s.Members) {
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
	if value(a.SkipHealthChecks) {
		s.ClusterID, s.Revision, s.Identity = "", 0, "" // whatever is there next
		return skipped(ctx)
	}
	root := newRootLogin(a.Etcd, nil, nil)
	if before != nil {
		root = newRootLogin(a.Etcd, &before.Etcd, before.RootPasswords)
	}
	lost := loss{etcd: a.Etcd, members: a.Members}
	watch := func(ctx context.Context, judge func(context.Context, view) (missing string, err error)) error {
		return wait.Until(ctx, healthLimit, func(ctx context.Context) (missing string, err error) {
			err = root.do(ctx, func(ctx context.Context, client *clientv3.Client) error {
				v, err := look(ctx, client, a.Etcd, a.ips()...)
				if err != nil {
					return err
				}
				if err := a.sameCluster(v, before); err != nil {
					return err
				}
				if err := a.upgradable(v); err != nil {
					return err
				}
				s.remember(v, a.Members)
				missing, err = judge(ctx, v)
				return err
			})
			if a.alone(before) && notNow(err) {
				return "", nil
			}
			return lost.explain(ctx, missing, err)
		})
	}
	var err error
	if *a.Require == All && a.Without == nil {
		t := tending{HealthArgs: a, asked: a.newDefragment(before), root: root, watch: watch}
		if err = t.do(ctx); err == nil && value(a.RemoveOthers) && s.Identity == "" {
			err = watch(ctx, func(ctx context.Context, v view) (string, error) { return v.identify(ctx, s) })
		}
	} else {
		err = watch(ctx, a.next)
	}
	s.RootPasswords = root.keep()
	return advised(err, a.ips()...)
}

// alone tells whether the gate is and was of the only member: while that is away there is
// no other that a change could endanger, and it may be what brings it back.
func (a HealthArgs) alone(before *HealthState) bool {
	return *a.Require == Quorum && len(a.Members) == 1 && before != nil && slices.Equal(before.names(), a.names())
}

// later is what a look has to say: a failure that another look may not meet is
// something missing.
func later(missing string, err error) (string, error) {
	if notNow(err) {
		return reason(err), nil
	}
	return missing, err
}

// remember notes who the cluster and its members are.
func (s *HealthState) remember(v view, members []HealthMember) {
	s.ClusterID, s.Revision = fmt.Sprintf("%x", v.id), int(v.revision)
	if v.identity != nil {
		s.Identity = *v.identity
	}
	s.MemberIDs = map[string]string{}
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
		"The next up goes on here. Only if the cluster is lost as a whole, or its machines cannot be reached from here: skipHealthChecks lets the update pass, and nothing guards the members then.", check.Or(ips))
	return fmt.Errorf("%w\n%s", err, advice)
}
