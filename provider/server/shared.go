package server

import (
	"slices"
	"strings"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"

	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

// Alike is what the machines of a list have of the inputs `libvirt` and `openstack` of their
// cluster, and that their `ip` is the address of their first interface.
func Alike(list string) inputs.Shared {
	return inputs.Shared{
		List: list, Inputs: []string{"libvirt", "openstack"},
		Either: [][2]string{
			{"libvirt", "openstack"},
			{"libvirt.volumeId", "libvirt.volume"},
			{"libvirt.volume.baseVolumeId", "libvirt.volume.baseVolumeName"},
			{"libvirt.volume.baseVolumeId", "libvirt.volume.baseVolumePool"},
			{"libvirt.dataVolumeId", "libvirt.dataVolume"},
			{"openstack.imageId", "openstack.volumeId"},
			{"openstack.dataVolumeId", "openstack.dataVolume"},
			{"openstack.networkPort.id", "openstack.networkPort.networkId"},
			{"openstack.networkPort.id", "openstack.networkPort.subnetId"},
			{"openstack.networkPort.id", "openstack.networkPort.securityGroupIds"},
		},
		Short: "ip",
		ShortFor: []inputs.Place{
			{Input: "libvirt", Name: "networks", List: true},
			{Input: "libvirt", Name: "macvtapInterfaces", List: true},
			{Input: "openstack", Name: "networkPort"},
		},
	}
}

// AlikeWithoutData is Alike for machines without a data volume: that of the cluster is for the others.
func AlikeWithoutData(list string) inputs.Shared {
	alike := Alike(list)
	alike.Except = []string{"libvirt.dataVolume", "libvirt.dataVolumeId", "openstack.dataVolume", "openstack.dataVolumeId", "openstack.dataDevice"}
	return alike
}

// Descriptions of the inputs of a cluster and of its machines.
const (
	AboutAlikeLibvirt   = "What the machines have in common on libvirt. A machine's own `libvirt` takes precedence, input by input, also within objects like `volume`; lists are replaced as a whole. Of inputs that exclude each other, like `volume` and `volumeId`, the machine's own counts."
	AboutAlikeOpenStack = "What the machines have in common on OpenStack. A machine's own `openstack` takes precedence, as in `libvirt`."
	AboutIP             = "Address of the machine, IPv4 or IPv6: the `ip` of its first interface (`libvirt.networks[0]`, or else `libvirt.macvtapInterfaces[0]` or `openstack.networkPort`). Not together with that. An `external` machine needs nothing else."
)

// optional are the required inputs of a machine, by their types, that its cluster may have instead.
var optional = map[string][]string{
	"LibvirtMachine":          {"cloudInitVolumePool"},
	"LibvirtVolume":           {"pool"},
	"LibvirtDataVolume":       {"pool", "size"},
	"LibvirtNetwork":          {"ip"},
	"LibvirtMacvtapInterface": {"ip"},
	"OpenstackMachine":        {"flavorId", "networkPort"},
	"OpenstackNetworkPort":    {"ip"},
	"OpenstackDataVolume":     {"size"},
}

// Optional makes inputs optional for programs that a machine requires: its cluster may have them.
func Optional(spec pschema.PackageSpec) {
	for name, inputs := range optional {
		token := "quorum:index:" + name
		of := spec.Types[token]
		of.Required = slices.DeleteFunc(of.Required, func(input string) bool { return slices.Contains(inputs, input) })
		for _, input := range inputs {
			property := of.Properties[input]
			where := " Required, here or in what is given for all machines of a cluster."
			if input == "ip" {
				where = " Required, here or as the `ip` of a machine of a cluster."
			}
			property.Description = strings.TrimSpace(property.Description + where)
			of.Properties[input] = property
		}
		spec.Types[token] = of
	}
}
