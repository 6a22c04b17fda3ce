// Command pulumi-resource-tls is the TLS plugin, built for tests from the
// Terraform provider behind the published one.
package main

import (
	"context"

	tlsshim "github.com/hashicorp/terraform-provider-tls/shim"
	pf "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/tokens"

	"github.com/pulumi-quorum/pulumi-quorum/tools/plugins/internal/serve"
)

func main() {
	p := tfbridge.ProviderInfo{
		P:                              pf.ShimProvider(tlsshim.New()),
		Name:                           "tls",
		Version:                        "5.2.0",
		MetadataInfo:                   tfbridge.NewProviderMetadata(nil),
		EnableZeroDefaultSchemaVersion: true,
		EnableAccurateBridgePreview:    true,
	}
	p.MustComputeTokens(tokens.SingleModule("tls_", "index", tokens.MakeStandard("tls")))
	pf.Main(context.Background(), p.Name, p, pf.ProviderMetadata{
		PackageSchema:  serve.MustSchema(p),
		BridgeMetadata: []byte("{}"),
	})
}
