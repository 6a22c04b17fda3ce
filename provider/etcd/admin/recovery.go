package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Recovery decides whether a cluster may be re-created from one member's
// data, or founded from a snapshot, and gives that an id, so that it is done once.
type Recovery struct{}

// RecoveryArgs are the inputs of a Recovery.
type RecoveryArgs struct {
	Etcd             host.EtcdConnection `pulumi:"etcd"`
	Members          []HealthMember      `pulumi:"members"`
	RecoverFrom      *string             `pulumi:"recoverFrom,optional"`
	Restore          *string             `pulumi:"restore,optional"`
	AboutRestore     *string             `pulumi:"aboutRestore,optional"`
	SkipHealthChecks *bool               `pulumi:"skipHealthChecks,optional"`
}

// RecoveryState is what is kept of a Recovery.
type RecoveryState struct {
	RecoveryArgs
	Recovery string `pulumi:"recovery"`
}

// Validate returns what is wrong with a.
func (a RecoveryArgs) Validate() []check.Problem {
	var l check.List
	l.Under("etcd", a.Etcd.Validate(time.Now()))
	l.Required("members", a.Members)
	if names := (HealthArgs{Members: a.Members}).names(); a.RecoverFrom != nil && !slices.Contains(names, *a.RecoverFrom) {
		l.Add("recoverFrom", "must be among members, which has %s, not %s", strings.Join(names, ", "), check.Quote(*a.RecoverFrom)).Needing("members")
	}
	if a.RecoverFrom != nil && a.Restore != nil {
		l.Add("restore", "must not be given together with recoverFrom").Needing("recoverFrom")
	}
	return l
}

// Create gives an id to the recovery, if one is asked for.
func (Recovery) Create(ctx context.Context, req infer.CreateRequest[RecoveryArgs]) (infer.CreateResponse[RecoveryState], error) {
	out := infer.CreateResponse[RecoveryState]{ID: req.Name, Output: RecoveryState{RecoveryArgs: req.Inputs}}
	return out, out.Output.decide(ctx, req.DryRun)
}

// Update gives a new id when a member or a snapshot is named, or another one than
// before. As long as the same one is named, it is the same recovery.
func (Recovery) Update(ctx context.Context, req infer.UpdateRequest[RecoveryArgs, RecoveryState]) (infer.UpdateResponse[RecoveryState], error) {
	out := infer.UpdateResponse[RecoveryState]{Output: RecoveryState{RecoveryArgs: req.Inputs}}
	if ptr.Value(req.Inputs.RecoverFrom) == ptr.Value(req.State.RecoverFrom) && ptr.Value(req.Inputs.Restore) == ptr.Value(req.State.Restore) {
		out.Output.Recovery = req.State.Recovery
		return out, nil
	}
	return out, out.Output.decide(ctx, req.DryRun)
}

// Delete leaves the cluster alone.
func (Recovery) Delete(context.Context, infer.DeleteRequest[RecoveryState]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, nil
}

// WireDependencies has previews know the id unless a recovery is to come.
func (Recovery) WireDependencies(f infer.FieldSelector, _ *RecoveryArgs, s *RecoveryState) {
	if s.Recovery != "" || s.RecoverFrom == nil && s.Restore == nil {
		f.OutputField(&s.Recovery).AlwaysKnown()
	}
}

// decided is how ids tell the moment of the decision.
const decided = "20060102T150405Z"

// decide gives an id to the recovery that is asked for, after a check of the
// members.
func (s *RecoveryState) decide(ctx context.Context, preview bool) error {
	if s.Restore != nil {
		return s.restore(ctx, preview)
	}
	if s.RecoverFrom == nil {
		return nil
	}
	if preview {
		p.GetLogger(ctx).Warningf("recoverFrom: this update re-creates the cluster from the data of %s, if there is no quorum. Data that only other members have are lost", *s.RecoverFrom)
		return nil
	}
	if ptr.Value(s.SkipHealthChecks) {
		if err := skipped(ctx); err != nil {
			return err
		}
	} else if err := s.await(ctx); err != nil {
		return fmt.Errorf("recoverFrom: %w", err)
	}
	s.Recovery = time.Now().UTC().Format(decided)
	return nil
}

const (
	// quorate is for how long a leader must be seen before a recovery is refused:
	// members see one that just stopped for a moment longer.
	quorate = 5 * time.Second
	// leaderless is for how long no member must have seen a leader before the
	// quorum is taken for lost: its members may be starting.
	leaderless = 30 * time.Second
	// recoverable bounds the wait for the member to recover from.
	recoverable = time.Minute
)

// await waits until it is clear whether the cluster may be re-created.
func (s *RecoveryState) await(ctx context.Context) error {
	begun := time.Now()
	lost, led := begun, begun // since when no member, and some member, has seen a leader
	return wait.Until(ctx, recoverable, func(ctx context.Context) (missing string, err error) {
		reports, err := reportsOf(ctx, s.Etcd, s.Members)
		if err != nil {
			return "", err
		}
		now := time.Now()
		if why := reports.quorate(ctx, s.Etcd); why != "" {
			if lost = now; now.Sub(led) > quorate {
				return "", fmt.Errorf("%s: the cluster has a quorum, so there is nothing to recover. Remove recoverFrom. Members without data join again by themselves", why)
			}
			return why, nil
		}
		led = now
		missing, err = reports.refuse(*s.RecoverFrom)
		switch {
		case err != nil:
			return "", err
		case missing != "" && now.Sub(begun) > recoverable:
			return "", fmt.Errorf("%s", missing)
		case missing != "":
			return missing, nil
		case now.Sub(lost) < leaderless:
			return "it is not known yet whether the members elect a leader", nil
		}
		s.tell(ctx, reports)
		return "", nil
	})
}

// tell warns which data are given up.
func (s *RecoveryState) tell(ctx context.Context, reports memberReports) {
	state, _, _ := reports.describe()
	p.GetLogger(ctx).Warningf("recoverFrom: the cluster is re-created from the data of %s: %s", *s.RecoverFrom, state)
}

// refuse is why the cluster must not be re-created from a member, or what is
// missing for that still.
func (l memberReports) refuse(name string) (missing string, err error) {
	i := slices.IndexFunc(l.all, func(r memberReport) bool { return r.name == name })
	if i < 0 {
		return "", fmt.Errorf("the other members do not list %s as a member", name)
	}
	from := l.all[i]
	switch {
	case from.learner:
		return "", fmt.Errorf("%s is a learner, which may not have all data", name)
	case from.page.State == blank:
		return "", fmt.Errorf("%s has no data", name)
	case !from.hasData():
		return fmt.Sprintf("%s %s: etcd must run there. If the machine is off, `pulumi up --refresh` without recoverFrom starts it", name, from.condition()), nil
	}
	for _, r := range l.all {
		if r.name == name || !r.hasData() || r.learner {
			continue
		}
		anyway := fmt.Sprintf("skipHealthChecks for this up takes %s nevertheless", name)
		switch {
		case from.status == nil || r.status == nil:
			return fmt.Sprintf("%s %s, %s %s, and it is not known which of them has later data. docs/clusters.md shows how to find out; %s", name, from.condition(), r.name, r.condition(), anyway), nil
		case r.revision() > from.revision():
			return "", fmt.Errorf("%s has data of revision %d, and %s of %d: give recoverFrom: %[1]s, or %[5]s", r.name, r.revision(), name, from.revision(), anyway)
		}
	}
	return "", nil
}
