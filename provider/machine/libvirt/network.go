package libvirt

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

var _ machine.Backend = Config{}

// Interfaces are those of the machine with that name: the networks' first,
// then the macvtap interfaces.
func (c Config) Interfaces(machine string) []cloudinit.Interface {
	var all []cloudinit.Interface
	for i, n := range c.Networks {
		all = append(all, cloudinit.Interface{
			Name: fmt.Sprintf("libvirt%d", i), MAC: mac(n.MAC, machine, n.IP),
			IP: n.IP, Prefix: n.PrefixLength, Gateway: ptr.Value(n.Gateway), DNSServers: n.DNSServers,
		})
	}
	for i, m := range c.MacvtapInterfaces {
		all = append(all, cloudinit.Interface{
			Name: fmt.Sprintf("macvtap%d", i), MAC: mac(m.MAC, machine, m.IP),
			IP: m.IP, Prefix: m.PrefixLength, Gateway: ptr.Value(m.Gateway), DNSServers: m.DNSServers,
		})
	}
	return all
}

// Resolvers are the DNS servers of the machine with that name: a line has an interface, its MAC, and the servers.
func (c Config) Resolvers(machine string) string {
	var b strings.Builder
	for _, i := range c.Interfaces(machine) {
		fmt.Fprintln(&b, strings.Join(append([]string{i.Name, strings.ToLower(i.MAC)}, i.DNSServers...), " "))
	}
	return b.String()
}

// Lasting is c without the DNS servers, which a machine that runs can be given anew.
func (c Config) Lasting() Config {
	c.Networks, c.MacvtapInterfaces = slices.Clone(c.Networks), slices.Clone(c.MacvtapInterfaces)
	for i := range c.Networks {
		c.Networks[i].DNSServers = nil
	}
	for i := range c.MacvtapInterfaces {
		c.MacvtapInterfaces[i].DNSServers = nil
	}
	return c
}

// IPs are the addresses of the machine, in the order of its interfaces.
func (c Config) IPs() (ips []string) {
	for _, i := range c.attached().Interfaces("") {
		ips = append(ips, i.IP)
	}
	return ips
}

// Beside is the address of the interface that is in the network of another one.
func (c Config) Beside(ip string) (own, reason string) {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return "", ""
	}
	var networks []string
	for _, i := range c.attached().Interfaces("") {
		at, err := netip.ParseAddr(i.IP)
		if err != nil {
			return "", ""
		}
		network, err := at.Prefix(i.Prefix)
		if err != nil {
			return "", ""
		}
		if network.Contains(a) {
			return i.IP, check.HostIn(ip, i.Prefix)
		}
		networks = append(networks, network.String())
	}
	return "", "must be in a network of the machine (" + strings.Join(networks, ", ") + "), not " + check.Quote(ip)
}

// IPPaths are the inputs that have them.
func (c Config) IPPaths() []string {
	c = c.attached()
	return append(check.Each("networks", len(c.Networks), "ip"), check.Each("macvtapInterfaces", len(c.MacvtapInterfaces), "ip")...)
}

// attached is c with an interface of which nothing is known, if it has none: so
// it is in a preview that does not know the interfaces yet.
func (c Config) attached() Config {
	if len(c.Networks)+len(c.MacvtapInterfaces) == 0 {
		c.Networks = []Network{{}}
	}
	return c
}

// NetworkConfig is what the machine with that name reads of its network.
func (c Config) NetworkConfig(machine string) (string, error) {
	return cloudinit.NetworkConfig(c.Interfaces(machine))
}

// Disk is the data volume as the machine sees it.
func (c Config) Disk() string {
	if c.DataVolumeID == nil && c.DataVolume == nil {
		return ""
	}
	return dataDevice
}

// Data names the volume that has the data, on its hypervisor: without a data
// volume the root volume, which is rebuilt with what only a fresh machine takes up.
func (c Config) Data(machine, fresh string) string {
	switch {
	case c.DataVolumeID != nil:
		return guest.Text(c.URI, *c.DataVolumeID)
	case c.DataVolume != nil:
		return guest.Text(c.URI, machine, c.DataVolume)
	case c.VolumeID != nil:
		return guest.Text(c.URI, *c.VolumeID)
	}
	return guest.Text(c.URI, machine, c.Volume, fresh)
}

// Holds names the volume that has the data.
func (c Config) Holds(machine string) string {
	switch {
	case c.DataVolumeID != nil:
		return guest.OnDataVolume + *c.DataVolumeID + guest.Kept
	case c.DataVolume != nil:
		return guest.OnDataVolume + machine + "-data." + defaultFormat + " in the pool " + c.DataVolume.Pool
	case c.VolumeID != nil:
		return "the volume " + *c.VolumeID + guest.Kept
	case c.Volume != nil:
		return guest.OnRoot + " in the pool " + c.Volume.Pool + guest.NoDataVolume
	}
	return guest.OnRoot + guest.NoDataVolume
}

// State is nothing beside the role.
func (c Config) State() guest.State { return guest.State{} }

// CheckSize has no limit: a drive has room for any user data.
func (c Config) CheckSize(cloudinit.UserData) (string, error) { return "", nil }

// Builder gives what makes the machine.
func (c Config) Builder(in machine.Inputs) machine.Builder {
	return Builder{Config: c.attached(), Inputs: in}
}

// mac is the one given, or one that stays the same for a machine's address,
// in the range that QEMU uses.
func mac(given *string, machine, ip string) string {
	if given != nil {
		return *given
	}
	h := sha256.Sum256([]byte(machine + "/" + ip))
	return fmt.Sprintf("52:54:00:%02x:%02x:%02x", h[0], h[1], h[2])
}
