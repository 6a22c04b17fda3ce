package postgres

import (
	"context"
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// askBeforeSwap has the update of the i-th node's machine ask, right then,
// whether the others can do without the node while its Patroni restarts. None is made while another machine is in its place.
func (r *postgresRoll) askBeforeSwap(ctx *pulumi.Context, i int, without *postgresHealth, generation pulumi.StringOutput) (*pulumi.ResourceHookBinding, error) {
	if ctx.DryRun() || !server.Hooks {
		return nil, nil
	}
	name := r.in.Args.Nodes[i].Name
	known := make(chan health.Swap, 1)
	var seen atomic.Pointer[health.HealthArgs]
	fault.Apply(pulumi.All(r.swap(name, r.candidates(i), r.restarts[name], generation), without.Joined, without.SystemID), func(all []any) bool {
		swap := all[0].(health.Swap)
		swap.Joined = all[1].([]string)
		if swap.NeverSeen = all[2] == ""; len(swap.Joined) > 0 {
			seen.Store(&swap.Health)
		}
		known <- swap
		return true
	})
	hook, err := ctx.RegisterResourceHook(r.cluster+"-"+name+"-swap", func(args *pulumi.ResourceHookArgs) error {
		select {
		case swap := <-known:
			if server.IsOff(args) { // it starts, and nothing restarts
				swap.Joined, swap.NeverSeen = nil, false
			}
			swap.Limit = server.Limit(server.Timeouts(r.opts).Update)
			return swap.Ask(ctx.Context())
		case <-ctx.Context().Done():
			return context.Cause(ctx.Context())
		}
	}, nil)
	if err != nil {
		return nil, err
	}
	free, err := ctx.RegisterResourceHook(r.cluster+"-"+name+"-free", func(*pulumi.ResourceHookArgs) error {
		asks := seen.Load()
		if asks == nil {
			return nil // there can be no other machine in its place: the first gate has looked
		}
		return fault.Do(func() error { return asks.MayMake(ctx.Context()) })
	}, nil)
	return &pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{hook}, BeforeCreate: []*pulumi.ResourceHook{free}}, err
}
