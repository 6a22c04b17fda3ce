package libvirt

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// ImmutableReason is for a drive that keeps its name, which cannot be swapped in a
// running machine.
func (s Builder) ImmutableReason() string {
	if s.Config.CloudInitVolumeName != nil {
		return "cloudInitVolumeName is fixed"
	}
	return ""
}

// Effects are what a change of the Config may do, as the provider of libvirt
// takes it.
func (s Builder) Effects(name string) map[string]string {
	c := s.Config
	all := map[string]string{
		guest.Anew:                           guest.Text(name, c.URI, c.VolumeID, c.Volume, c.CloudInitVolumeName),
		guest.PowerOff:                       guest.Text(c.VCPUs, c.Memory, c.CPUMode, c.DomainType, c.attachments(), c.DataVolumeID, c.DataVolume != nil),
		guest.Live + "its cloud-init drive":  guest.Text(c.CloudInitVolumePool),
		guest.Live + "whether it is started": guest.Text(c.Running, c.Autostart),
	}
	if c.DataVolume != nil {
		all[guest.Rebuild+"the data volume, and what it holds is lost"] = guest.Text(name, c.URI, c.DataVolume)
	}
	return all
}

// attachments are what the machine's interfaces are attached to.
func (c Config) attachments() (all []string) {
	for _, n := range c.Networks {
		all = append(all, ptr.Value(n.NetworkID)+"/"+ptr.Value(n.NetworkName))
	}
	for _, m := range c.MacvtapInterfaces {
		all = append(all, m.Interface)
	}
	return all
}
