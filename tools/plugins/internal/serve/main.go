package serve

import (
	"context"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi/pkg/v3/resource/provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/cmdutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Main serves a plugin, and what is wrapped around it.
func Main(p tfbridge.ProviderInfo, around func(pulumirpc.ResourceProviderServer) pulumirpc.ResourceProviderServer) {
	ctx, schema := context.Background(), MustSchema(p)
	p.P.InitLogging(ctx)
	err := provider.Main(p.Name, func(host *provider.HostClient) (pulumirpc.ResourceProviderServer, error) {
		return around(tfbridge.NewProvider(ctx, host, p.Name, p.Version, p.P, p, schema)), nil
	})
	if err != nil {
		cmdutil.ExitError(err.Error())
	}
}
