package health

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
)

// Check notes that a program is there, which says how the cluster is reached now.
func (Health) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[HealthArgs], error) {
	args, failures, err := infer.DefaultCheck[HealthArgs](ctx, req.NewInputs)
	if gate, is := args.firstGate(req.Name); is && err == nil && len(failures) == 0 {
		guard.Says(ctx, gate, args.after)
	}
	return infer.CheckResponse[HealthArgs]{Inputs: args, Failures: failures}, err
}

// after is what two gates of a cluster say: not all are told of standbys.
func (a HealthArgs) after(before *HealthArgs) HealthArgs {
	if before != nil && (a.Node != nil || a.OtherLoadBalancers != nil) {
		a.SynchronousStandbys = before.SynchronousStandbys
	}
	return a
}

// firstGate is the name of the first gate of the PostgresCluster that one with a
// name is of.
func (a HealthArgs) firstGate(name string) (first string, is bool) {
	suffix := "-healthy"
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
