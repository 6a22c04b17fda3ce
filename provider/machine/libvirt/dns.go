package libvirt

import (
	"net/netip"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// farDNSServers are those that the machine does not reach, as far as its inputs say: on the machine
// itself, and in another network where there is no gateway.
func (c Config) farDNSServers() check.List {
	var l check.List
	var networks []netip.Prefix
	routed := map[bool]bool{} // by whether it is of IPv4
	paths, all := c.ports()
	for _, a := range all {
		ip, err := netip.ParseAddr(a.ip)
		if err != nil {
			return nil
		}
		if network, err := ip.Prefix(a.prefix); err == nil {
			networks = append(networks, network)
		}
		if via, err := netip.ParseAddr(ptr.Value(a.gateway)); err == nil {
			routed[via.Is4()] = true
		}
	}
	for i, a := range all {
		for j, server := range a.dnsServers {
			path := check.Index(paths[i]+".dnsServers", j)
			to, err := netip.ParseAddr(server)
			switch {
			case err != nil || to.IsLinkLocalUnicast():
			case to.IsLoopback():
				l.Add(path, "is on the machine itself (%s): no name server is installed there, unless the image has one, and the machine must resolve names before its packages are installed", to)
			case !routed[to.Is4()] && !within(to, networks):
				l.Add(path, "is not reached: %s is in no network of the machine, and there is no gateway of its version of IP", to).
					Needing("networks", "macvtapInterfaces")
			}
		}
	}
	return l
}

func within(a netip.Addr, networks []netip.Prefix) bool {
	for _, network := range networks {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// ports are the interfaces of both kinds, and the paths of the inputs that say of them.
func (c Config) ports() (paths []string, all []address) {
	for i, n := range c.Networks {
		paths, all = append(paths, check.Index("networks", i)), append(all, address{n.IP, n.MAC, n.PrefixLength, n.Gateway, n.DNSServers})
	}
	for i, m := range c.MacvtapInterfaces {
		paths, all = append(paths, check.Index("macvtapInterfaces", i)), append(all, address{m.IP, m.MAC, m.PrefixLength, m.Gateway, m.DNSServers})
	}
	return paths, all
}
