// Command pulumi-resource-libvirt is the libvirt plugin, built for tests.
//
// It is Terraform provider 0.8.3 presented as plugin 0.5.4. The published
// plugin 0.5.4 wraps provider 0.8.1, which cannot be had as a Go module
// everywhere; the schemas differ by one extra field. It must call itself 0.5.4
// because that is the version the published SDK asks the engine for.
package main

import (
	"github.com/dmacvicar/terraform-provider-libvirt/libvirt"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/tokens"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/sdk-v2"

	"github.com/pulumi-quorum/pulumi-quorum/tools/plugins/internal/serve"
)

func main() {
	p := tfbridge.ProviderInfo{
		P:       shim.NewProvider(libvirt.Provider()),
		Name:    "libvirt",
		Version: "0.5.4",
		Config: map[string]*tfbridge.SchemaInfo{
			"uri": {Default: &tfbridge.DefaultInfo{EnvVars: []string{"LIBVIRT_DEFAULT_URI"}}},
		},
		Resources: map[string]*tfbridge.ResourceInfo{
			"libvirt_cloudinit_disk": {Tok: "libvirt:index/cloudInitDisk:CloudInitDisk"},
		},
		MetadataInfo: tfbridge.NewProviderMetadata(nil),
	}
	p.MustComputeTokens(tokens.SingleModule("libvirt_", "index", tokens.MakeStandard("libvirt")))
	p.SetAutonaming(255, "-")
	tfbridge.Main(p.Name, p.Version, p, serve.MustSchema(p))
}
