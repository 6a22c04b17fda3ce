package admin

import (
	"context"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Health is a gate: an update passes it when an etcd cluster is healthy. The
// guards of the same cluster use its inputs, too.
type Health struct{}

// healthLimit bounds the wait for a cluster, whose machines may have to boot
// and install their packages.
const healthLimit = 30 * time.Minute

// Check notes that a program runs, and what it says now of the cluster, for its
// guards.
func (Health) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[HealthArgs], error) {
	args, failures, err := infer.DefaultCheck[HealthArgs](ctx, req.NewInputs)
	if err == nil && len(failures) == 0 {
		guard.Says(ctx, req.Name, func(*HealthArgs) HealthArgs { return args })
	}
	return infer.CheckResponse[HealthArgs]{Inputs: args, Failures: failures}, err
}

// Decide notes from the state before the passwords that root may have, and which members were
// removed or in the cluster. It says what is lost with backups that are taken out.
func (Health) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	var passwords []string
	if before := req.OldInputs.Get("etcd"); before.IsMap() {
		passwords = append(passwords, guard.Text(before.AsMap().Get("password")))
	}
	if now := req.Inputs.Get("etcd"); now.IsMap() {
		endpoints := guard.Texts(now.AsMap().Get("endpoints"))
		notePasswords(ctx, endpoints, append(passwords, guard.Texts(req.State.Get("rootPasswords"))...))
		noteLeft(ctx, endpoints, membersIn(req.State.Get("left")))
	}
	running.Note(ctx, running.Beside(ctx, req.Urn.Name()), func(seen *lastSeen) { *seen = seenIn(req.State) })
	noteLeftAt(ctx, leftAtIn(req.State))
	noteJoining(ctx, req.State)
	noteKnown(ctx, guard.Text(req.State.Get("clusterId")))
	noteComplete(ctx, req.State)
	guard.Warn(ctx, endOfBackups(req.OldInputs, req.Inputs), guard.KeyGiven(req.OldInputs, req.Inputs, "repository", "backup.s3.prefix"))
	return p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
}

// Create waits for the cluster, but for a quorum only if there is a cluster:
// its members may be about to found it.
func (Health) Create(ctx context.Context, req infer.CreateRequest[HealthArgs]) (infer.CreateResponse[HealthState], error) {
	a := req.Inputs
	out := infer.CreateResponse[HealthState]{ID: req.Name, Output: a.state()}
	if req.DryRun {
		return out, a.foresees(ctx, nil)
	}
	if !ptr.Value(a.SkipHealthChecks) && *a.Require == Quorum && !a.isShared() {
		if err := a.begins(ctx); err != nil {
			return out, err
		}
		if !founded(ctx, a.Etcd) {
			return out, nil
		}
	}
	err := a.await(ctx, &out.Output, nil)
	if err == nil {
		out.Output.tellHowToReach(ctx, nil)
	}
	return out, err
}

// Update waits for the cluster again, unless the gate is before a change that
// this update does not make.
func (Health) Update(ctx context.Context, req infer.UpdateRequest[HealthArgs, HealthState]) (infer.UpdateResponse[HealthState], error) {
	a, before := req.Inputs, req.State
	out := infer.UpdateResponse[HealthState]{Output: a.state()}
	out.Output.ClusterID, out.Output.Revision, out.Output.Identity, out.Output.MemberIDs = before.ClusterID, before.Revision, before.Identity, before.MemberIDs
	out.Output.Updates, out.Output.BackupTimes = before.Updates+1, before.BackupTimes
	out.Output.RootPasswords = newRootLogin(a.Etcd, &before.Etcd, before.RootPasswords).keep()
	a.warn(ctx, before.HealthArgs)
	var err error
	if out.Output.Left, err = a.leftBy(ctx, before); err != nil {
		return out, err
	}
	noteLeft(ctx, a.Etcd.Endpoints, out.Output.Left)
	if out.Output.LeftAt = before.LeftAt; a.leavesOut(before.HealthArgs) {
		out.Output.LeftAt = out.Output.Updates
	}
	noteLeftAt(ctx, out.Output)
	if err := a.checkRelease(ctx, before); err != nil {
		return out, err
	}
	if err := a.keepsMemberWithData(ctx, before); err != nil {
		return out, err
	}
	if req.DryRun {
		return out, a.foresees(ctx, &before)
	}
	takesAnother := a.takesAnother(before.HealthArgs)
	if takesAnother {
		out.Output.forget()
	}
	if a.asksAsBefore(before.HealthArgs) {
		out.Output.Joining = before.joining()
		return out, nil
	}
	if a.recovers(before.HealthArgs) || a.stillRecovers(ctx, before) {
		if out.Output.Revision = 0; *a.Require == Quorum {
			return out, nil
		}
		before.Revision = 0
	}
	if len(before.MemberIDs) == 0 { // members that are added from now on may not have the data
		out.Output.MemberIDs = map[string]string{}
		for _, name := range before.names() {
			out.Output.MemberIDs[name] = ""
		}
	}
	if before.ClusterID == "" && !ptr.Value(a.SkipHealthChecks) && *a.Require == Quorum && !a.isShared() && a.neverFounded(ctx, before) {
		return out, nil
	}
	err = a.await(ctx, &out.Output, &before)
	noteLeftAt(ctx, out.Output)
	noteKnown(ctx, out.Output.ClusterID)
	if err == nil {
		out.Output.tellHowToReach(ctx, &req.State)
	}
	if takesAnother && *a.Require == Quorum { // what it saw may be about to go
		out.Output.forget()
	}
	return out, err
}

// WireDependencies makes previews know what another look at the same members
// does not change: then what depends on it does not change either.
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
	s := HealthState{HealthArgs: a, MemberIDs: map[string]string{}, Joining: a.names()}
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
