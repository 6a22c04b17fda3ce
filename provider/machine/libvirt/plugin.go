package libvirt

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

//go:embed PLUGIN_VERSION
var pluginVersion string

// The published plugin, and what it does now and then.
const (
	published = "0.5.4"
	race      = "the published libvirt plugin %s can hang while it reads a cloud-init drive, or find it empty. Have the provider %s use plugin %s: see docs/machine.md#the-libvirt-plugin"
)

// plugin has a resource served by the plugin that is released beside this package.
func plugin() []pulumi.ResourceOption {
	return []pulumi.ResourceOption{
		pulumi.Version(PluginVersion()),
		pulumi.PluginDownloadURL("github://api.github.com/pulumi-quorum"),
	}
}

// PluginVersion is the version of the libvirt plugin that serves machines by default.
func PluginVersion() string { return strings.TrimSpace(pluginVersion) }

// WarnOfRace warns of a provider that a component was given where it is served by the published plugin.
func WarnOfRace(ctx *pulumi.Context, c pulumi.Resource, given []pulumi.ProviderResource) {
	for _, provider := range given {
		fault.Apply(provider.URN(), func(of pulumi.URN) bool {
			name := urn.URN(of)
			if name.Type() != "pulumi:providers:libvirt" {
				return false
			}
			var found struct {
				State struct {
					Version string `pulumi:"version"`
				} `pulumi:"state"`
			}
			err := ctx.Invoke("pulumi:pulumi:getResource", &struct {
				URN string `pulumi:"urn"`
			}{string(of)}, &found)
			if err == nil && found.State.Version == published {
				_ = ctx.Log.Warn(fmt.Sprintf(race, published, name.Name(), PluginVersion()), &pulumi.LogArgs{Resource: c})
			}
			return true
		})
	}
}
