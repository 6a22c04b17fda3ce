package etcd

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// WarningsInProgram are of what other components of the program have, too.
func (a EtcdClusterArgs) WarningsInProgram(ctx context.Context, self urn.URN) []check.Problem {
	var owned []check.Owned
	for i, m := range a.Members {
		owned = append(owned, m.backend().Owned(check.Index("members", i))...)
	}
	return server.AlsoOwned(ctx, self, owned)
}
