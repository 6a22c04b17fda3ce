package change

import (
	"context"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// happens is what an update does to a machine of a cluster.
type happens struct {
	isNew bool
	lines []string
	loss  *guest.Loss // of its data
	again happensAgain
}

// machines are what happens to those of a cluster, by their names. They are noted in one run of
// the engine, which comes to each machine before it comes to the ClusterChange. So of an update
// that failed halfway just the rest is told again.
type machines map[string]happens

// note has the cluster say it.
func (a MachineArgs) note(ctx context.Context, resource string, what happens) {
	if a.Cluster == nil || !what.isNew && len(what.lines) == 0 {
		return
	}
	running.Note(ctx, above(ctx, 2, *a.Cluster), func(now *machines) {
		if *now == nil {
			*now = machines{}
		}
		(*now)[a.name(resource)] = what
	})
}

// noted is what happens to the machines of the cluster whose ClusterChange the provider is called for.
func noted(ctx context.Context, cluster string) machines {
	all, _ := running.Noted[machines](ctx, above(ctx, 1, cluster))
	return all
}

// called is the name of the resource that the provider is called for: its id is the one that it was
// made with, which it keeps when it is called otherwise.
func called(ctx context.Context, id string) string {
	if u := running.URN(ctx); u != "" {
		return u.Name()
	}
	return id
}

// above is what a component that is so many types above the resource is noted by. Components of
// different types may have one name.
func above(ctx context.Context, n int, name string) string {
	types := strings.Split(string(running.URN(ctx).QualifiedType()), urn.TypeDelimiter)
	return strings.Join(append(slices.Clone(types[:max(0, len(types)-n)]), name), urn.TypeDelimiter)
}
