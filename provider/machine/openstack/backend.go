package openstack

import (
	"cmp"
	_ "embed"
	"net/netip"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

var _ machine.Backend = Config{}

// metadata keeps the metadata service, which has the user data, for root.
//
//go:embed quorum-metadata.service
var metadata string

const (
	metadataService = "quorum-metadata.service"
	networkd        = "/etc/systemd/networkd.conf.d/10-quorum.conf"
	applyAtBoot     = "/etc/systemd/system/quorum-apply.service.d/10-openstack.conf"
)

// IPs are the addresses of the machine.
func (c Config) IPs() []string { return []string{c.NetworkPort.IP} }

// IPPaths are the inputs that have them.
func (c Config) IPPaths() []string { return []string{"networkPort.ip"} }

// Beside is the one address that is known: of its network only Neutron knows how large it is.
func (c Config) Beside(ip string) (own, reason string) {
	a, err := netip.ParseAddr(ip)
	b, err2 := netip.ParseAddr(c.NetworkPort.IP)
	switch {
	case err != nil || err2 != nil:
		return "", ""
	case a.Is4() != b.Is4():
		return "", "must be of the version of IP of the machine's address " + c.NetworkPort.IP + ", not " + check.Quote(ip)
	}
	return c.NetworkPort.IP, ""
}

// Owns is what no other machine may have.
func (c Config) Owns() []check.Owned {
	return []check.Owned{
		{Path: "volumeId", Kind: check.Disks, Value: ptr.Value(c.VolumeID)},
		{Path: "dataVolumeId", Kind: check.Disks, Value: ptr.Value(c.DataVolumeID)},
		{Path: "networkPort.id", Kind: check.Ports, Value: ptr.Value(c.NetworkPort.ID)},
		{Path: "networkPort.ip", Kind: check.Addresses, Value: c.NetworkPort.IP},
	}
}

// NetworkConfig is none: Neutron tells the machine.
func (c Config) NetworkConfig(string) (string, error) { return "", nil }

// Disk is the data volume as the machine sees it.
func (c Config) Disk() string {
	if c.DataVolumeID == nil && c.DataVolume == nil {
		return ""
	}
	return cmp.Or(ptr.Value(c.DataDevice), defaultDataDevice)
}

// Data names the volume that has the data, if it outlives the instance.
func (c Config) Data(string, string) string {
	switch {
	case c.DataVolumeID != nil:
		return guest.Text(*c.DataVolumeID)
	case c.DataVolume != nil:
		return guest.Text(c.DataVolume.Type, c.DataVolume.AvailabilityZone)
	case c.VolumeID != nil:
		return guest.Text(*c.VolumeID)
	}
	return ""
}

// Holds names the volume that has the data.
func (c Config) Holds(machine string) string {
	switch {
	case c.DataVolumeID != nil:
		return "the volume " + *c.DataVolumeID + guest.Kept
	case c.DataVolume != nil && ptr.Value(c.Namespace) != "":
		return "the data volume of " + machine + " in " + *c.Namespace
	case c.DataVolume != nil:
		return "the data volume " + machine + "-data"
	case c.VolumeID != nil:
		return "the volume " + *c.VolumeID + guest.Kept
	}
	return "the disk of its instance: it has no data volume"
}

// State closes the metadata service; systemd-networkd would take the rules away
// when it restarts. It has no drive to follow, and what cloud-init once wrote
// is the state at each boot.
func (c Config) State() guest.State {
	return guest.State{
		Files: []guest.File{
			guest.Public(networkd, "[Network]\nManageForeignRoutingPolicyRules=no\n"),
			guest.Unit(metadataService, metadata),
			guest.Public(applyAtBoot, "[Service]\nExecStart=\nExecStart="+guest.ApplyPath+" --first-boot\n"),
		},
		Services: []guest.Service{{Name: metadataService, Timeout: 30}},
	}
}

// CheckSize returns why Nova would not take user data.
func (c Config) CheckSize(user cloudinit.UserData) (reason string, err error) {
	text, err := user.Marshal()
	if err != nil {
		return "", err
	}
	packed, err := Pack(text)
	if err != nil {
		return "", err
	}
	return tooLarge(packed), nil
}

// Builder gives what makes the machine.
func (c Config) Builder(in machine.Inputs) machine.Builder { return Builder{Config: c, Inputs: in} }
