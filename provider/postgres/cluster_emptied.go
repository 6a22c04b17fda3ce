package postgres

import (
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// emptiedBy is called before what the data of the only node lie on is made.
func (r *postgresRoll) emptiedBy(ctx *pulumi.Context, i int) (*pulumi.ResourceHookBinding, error) {
	if !server.Hooks || len(r.in.Args.Nodes) != 1 || ptr.Value(r.in.Args.SkipHealthChecks) || ptr.Value(r.in.Args.AllowDataLoss) {
		return nil, nil
	}
	name := r.in.Args.Nodes[i].Name
	var known atomic.Pointer[health.HealthArgs]
	fault.Apply(r.swap(name, nil, pulumi.String(""), pulumi.String("")), func(swap any) any {
		asked := swap.(health.Swap).Health
		known.Store(&asked)
		return nil
	})
	hook, err := ctx.RegisterResourceHook(r.cluster+"-emptied-"+name, func(*pulumi.ResourceHookArgs) error {
		if asked := known.Load(); asked != nil {
			return fault.Do(func() error { return health.MayEmpty(ctx.Context(), *asked) }) // hooks are called in goroutines of their own
		}
		return nil
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	return &pulumi.ResourceHookBinding{BeforeCreate: []*pulumi.ResourceHook{hook}}, err
}
