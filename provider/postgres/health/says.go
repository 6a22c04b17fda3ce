package health

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
)

// Check notes that a program runs, and what it says now of the cluster, for its
// guards.
func (Health) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[HealthArgs], error) {
	args, failures, err := infer.DefaultCheck[HealthArgs](ctx, req.NewInputs)
	if gate, is := args.firstGate(req.Name); is && err == nil && len(failures) == 0 {
		guard.Says(ctx, gate, args.after)
	}
	return infer.CheckResponse[HealthArgs]{Inputs: args, Failures: failures}, err
}

// after combines the inputs of two gates of a cluster: some do not have the
// number of standbys.
func (a HealthArgs) after(before *HealthArgs) HealthArgs {
	if before != nil && (a.Node != nil || a.OtherLoadBalancers != nil) {
		a.SynchronousStandbys = before.SynchronousStandbys
	}
	return a
}

// firstGate is the name of the first gate of the PostgresCluster to which the
// gate with a name belongs.
func (a HealthArgs) firstGate(name string) (first string, is bool) {
	suffix := lastGate
	switch {
	case a.Plan != nil:
		suffix = "-plan"
	case a.Without != nil:
		suffix = "-without-" + *a.Without
	case a.Node != nil:
		suffix = "-" + *a.Node
	}
	cluster, is := strings.CutSuffix(name, suffix)
	return cluster + "-plan", is
}
