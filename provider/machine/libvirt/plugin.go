package libvirt

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

//go:embed PLUGIN_VERSION
var pluginVersion string

// race is what published plugins do now and then.
const race = "the published libvirt plugin %s can hang while it reads a cloud-init drive, or find it empty. Have the provider %s use plugin %s: see docs/machine.md#the-libvirt-plugin"

// PluginServer is where releases of the plugin are: those of this repository, with the plugin's version as their tag.
const PluginServer = "github://api.github.com/pulumi-quorum/pulumi-quorum"

// plugin has a resource served by the plugin that is released beside this package.
func plugin() []pulumi.ResourceOption {
	return []pulumi.ResourceOption{
		pulumi.Version(PluginVersion()),
		pulumi.PluginDownloadURL(PluginServer),
	}
}

// PluginVersion is the version of the libvirt plugin that serves machines by default.
func PluginVersion() string { return strings.TrimSpace(pluginVersion) }

// hasRace reports whether a plugin is one of those that were published before. Without a version the newest one serves.
func hasRace(plugin string) bool {
	v, err := semver.Parse(plugin)
	return err == nil && v.LT(semver.MustParse(PluginVersion()))
}

// WarnOfRace warns of a provider that a component was given where it is served by a published plugin.
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
			if err == nil && hasRace(found.State.Version) {
				_ = ctx.Log.Warn(fmt.Sprintf(race, found.State.Version, name.Name(), PluginVersion()), &pulumi.LogArgs{Resource: c})
			}
			return true
		})
	}
}
