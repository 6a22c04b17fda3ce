// Command pulumi-resource-libvirt is the libvirt plugin that serves machines by default: the
// published one, 0.5.4, has a race in its libvirt client (go-libvirt.patch).
//
// It is Terraform provider 0.8.3. The published plugin wraps 0.8.1, which cannot be had as a Go
// module everywhere; the schemas differ by one extra field.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/dmacvicar/terraform-provider-libvirt/libvirt"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/tokens"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/sdk-v2"

	"github.com/pulumi-quorum/pulumi-quorum/tools/plugins/internal/drives"
	"github.com/pulumi-quorum/pulumi-quorum/tools/plugins/internal/serve"
)

// version is set by the linker: the package asks for it by its file PLUGIN_VERSION.
var version string

func main() {
	p := tfbridge.ProviderInfo{
		P:       shim.NewProvider(libvirt.Provider()),
		Name:    "libvirt",
		Version: version,
		Config: map[string]*tfbridge.SchemaInfo{
			"uri": {Default: &tfbridge.DefaultInfo{EnvVars: []string{"LIBVIRT_DEFAULT_URI"}}},
		},
		Resources: map[string]*tfbridge.ResourceInfo{
			"libvirt_cloudinit_disk": {
				Tok:    "libvirt:index/cloudInitDisk:CloudInitDisk",
				Fields: map[string]*tfbridge.SchemaInfo{"name": {Default: &tfbridge.DefaultInfo{AutoNamed: true, ComputeDefault: driveName}}},
			},
		},
		MetadataInfo: tfbridge.NewProviderMetadata(nil),
	}
	p.MustComputeTokens(tokens.SingleModule("libvirt_", "index", tokens.MakeStandard("libvirt")))
	p.SetAutonaming(255, "-")
	serve.Main(p, drives.Short)
}

// driveName tells drives of one resource of one stack from all others: the plugin deletes those
// that an update left which was killed.
func driveName(ctx context.Context, of tfbridge.ComputeDefaultOptions) (any, error) {
	sum := sha256.Sum256([]byte(of.URN))
	return tfbridge.ComputeAutoNameDefault(ctx, tfbridge.AutoNameOptions{
		Separator: "-", Maxlen: 255, Randlen: 7,
		Transform: func(name string) string { return name + "-" + hex.EncodeToString(sum[:3]) },
	}, of)
}
