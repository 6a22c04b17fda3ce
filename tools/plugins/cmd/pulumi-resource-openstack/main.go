// Command pulumi-resource-openstack is the openstack plugin, built for tests
// from the Terraform provider behind the published one, and with no more
// resources than quorum makes.
package main

import (
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	tfshim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/sdk-v2"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/terraform-provider-openstack/terraform-provider-openstack/openstack"

	"github.com/pulumi-quorum/pulumi-quorum/tools/plugins/internal/serve"
)

// resources have the tokens of the published plugin.
var resources = map[string]tokens.Type{
	"openstack_blockstorage_volume_v3":      "openstack:blockstorage/volume:Volume",
	"openstack_compute_instance_v2":         "openstack:compute/instance:Instance",
	"openstack_compute_servergroup_v2":      "openstack:compute/serverGroup:ServerGroup",
	"openstack_networking_port_v2":          "openstack:networking/port:Port",
	"openstack_networking_secgroup_v2":      "openstack:networking/secGroup:SecGroup",
	"openstack_networking_secgroup_rule_v2": "openstack:networking/secGroupRule:SecGroupRule",
}

func main() {
	p := tfbridge.ProviderInfo{
		P:            shim.NewProvider(openstack.Provider()),
		Name:         "openstack",
		Version:      "5.0.2",
		Resources:    map[string]*tfbridge.ResourceInfo{},
		MetadataInfo: tfbridge.NewProviderMetadata(nil),
	}
	p.P.ResourcesMap().Range(func(name string, _ tfshim.Resource) bool {
		if token, wanted := resources[name]; wanted {
			p.Resources[name] = &tfbridge.ResourceInfo{Tok: token}
		} else {
			p.IgnoreMappings = append(p.IgnoreMappings, name)
		}
		return true
	})
	p.P.DataSourcesMap().Range(func(name string, _ tfshim.Resource) bool {
		p.IgnoreMappings = append(p.IgnoreMappings, name)
		return true
	})
	p.SetAutonaming(255, "-")
	tfbridge.Main(p.Name, p.Version, p, serve.MustSchema(p))
}
