package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// identitySoon bounds the wait for the identity by which nodes are asked, which
// is made in seconds where it is not there.
const identitySoon = 2 * time.Minute

// order is in which order the nodes change: those that the cluster goes on
// without already come first. They have nothing to lose, and others may have to
// wait for them. So does one whose place somebody else's machine still has, since the update ends there: what the others
// change may be settings of the whole cluster. A preview asks nobody, and takes them as the program has them.
func (r *postgresRoll) order(ctx *pulumi.Context) []int {
	var out, others []string
	if skip := r.in.Args.SkipHealthChecks; !ctx.DryRun() && server.Hooks && (skip == nil || !*skip) {
		soon, cancel := context.WithTimeout(ctx.Context(), identitySoon)
		defer cancel()
		found, err := internals.UnsafeAwaitOutput(soon, r.swap(r.in.Args.Nodes[0].Name, pulumi.StringArray{}, pulumi.String(""), pulumi.String("")))
		if swap, is := found.Value.(health.Swap); is && err == nil {
			var both fault.Group
			both.Go(func() { out = health.Out(soon, swap.Health) })
			both.Go(func() { others = health.Others(soon, swap.Health) })
			both.Wait()
		}
	}
	var first, then []int
	for i, n := range r.in.Args.Nodes {
		if slices.Contains(out, n.Name) || slices.Contains(others, n.Name) {
			first = append(first, i)
		} else {
			then = append(then, i)
		}
	}
	return append(first, then...)
}

// candidates are whom the i-th node had best hand over to: to one that has changed
// already, or else to the one that changes last. Somebody else's come after those.
func (r *postgresRoll) candidates(i int) pulumi.StringArray {
	var order []int
	for j := range i {
		order = append(order, j)
	}
	for j := len(r.in.Args.Nodes) - 1; j > i; j-- {
		order = append(order, j)
	}
	slices.SortStableFunc(order, func(j, k int) int {
		return last(!r.in.Args.Nodes[j].isExternal()) - last(!r.in.Args.Nodes[k].isExternal())
	})
	var names pulumi.StringArray
	for _, j := range order {
		names = append(names, r.in.RequiredString(check.Index("nodes", j)+".name"))
	}
	return names
}

// swap is the question about a node whose machine changes while it runs.
func (r *postgresRoll) swap(name string, candidates pulumi.StringArray, restarts, generation pulumi.StringInput) pulumi.Output {
	var ips pulumi.StringArray
	for j := range r.in.Args.Nodes {
		ips = append(ips, r.nodeIP(j))
	}
	skip := r.in.Bool("skipHealthChecks")
	if skip == nil {
		skip = pulumi.Bool(false)
	}
	return fault.Apply(pulumi.All(ips, server.Trusted(r.in, r.ca.Cert), r.client.Cert, r.client.Key, skip, restarts, generation, candidates), func(all []any) health.Swap {
		port, standbys := ports.Patroni, r.in.Args.synchronousStandbys()
		gate := health.HealthArgs{
			CACert: all[1].(string), ClientCert: all[2].(string), ClientKey: all[3].(string), SkipHealthChecks: isTrue(all[4]),
			Without: &name, Candidates: all[7].([]string), SynchronousStandbys: &standbys, MaximumLag: health.DefaultMaximumLag(),
		}
		if of := r.in.Args.StandbyOf; of != nil {
			source := of.About()
			gate.StandbyOf, gate.StandbyBy = &source, standbyBy(*of)
		}
		for j, ip := range all[0].([]string) {
			gate.Nodes = append(gate.Nodes, health.Node{Name: r.in.Args.Nodes[j].Name, IP: ip, APIPort: &port, External: r.in.Args.Nodes[j].External})
		}
		return health.Swap{Health: gate, Restarts: all[5].(string), Generation: all[6].(string)}
	})
}

// isTrue is a boolean that may be given as a pointer.
func isTrue(of any) *bool {
	switch of := of.(type) {
	case bool:
		return &of
	case *bool:
		if of != nil {
			return of
		}
	}
	return new(bool)
}
