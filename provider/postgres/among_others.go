package postgres

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// WarningsInProgram are of what other components of the program have, too.
func (a PostgresClusterArgs) WarningsInProgram(ctx context.Context, self urn.URN) []check.Problem {
	owned, paths := a.virtualOwned(), a.machinePaths()
	for i, m := range a.machines() {
		owned = append(owned, m.backend().Owned(paths[i])...)
	}
	return server.AlsoOwned(ctx, self, owned)
}

// WarningsInProgram are the same. The address that moves is that of all load balancers that have it so.
func (a PostgresLoadBalancerArgs) WarningsInProgram(ctx context.Context, self urn.URN) []check.Problem {
	owned := a.Backend().Owned("")
	if a.VirtualIP != nil {
		for _, shared := range a.VirtualIP.Owned("virtualIp") {
			shared.Shared = true
			owned = append(owned, shared)
		}
	}
	return server.AlsoOwned(ctx, self, owned)
}
