package postgres

import (
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// allowlistWarnings are of a list that lets everybody in, or shuts out the machine that Pulumi
// runs on, whose gates switch over and restart nodes.
func (a PostgresClusterArgs) allowlistWarnings() (all []string) {
	if len(a.Patroni.Allowlist) == 0 {
		return nil
	}
	var networks []netip.Prefix
	for _, from := range a.Patroni.Allowlist {
		network, err := netip.ParsePrefix(from)
		if err != nil {
			address, err := netip.ParseAddr(from)
			if err != nil {
				return nil // refused, or not known yet
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		if network.Bits() == 0 {
			all = append(all, fmt.Sprintf("patroni.allowlist has %s, which is every address", from))
		}
		networks = append(networks, network)
	}
	for _, n := range a.Nodes {
		local, known := localAddress(n.backend().IP())
		if known && !slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(local) }) {
			return append(all, fmt.Sprintf("patroni.allowlist has not %s, from which this machine reaches %s: unless the network translates that address, updates cannot switch over", local, n.Name))
		}
	}
	return all
}

// localAddress is the one that this machine would connect from. Nothing is sent.
func localAddress(to string) (netip.Addr, bool) {
	connection, err := net.Dial("udp", ports.At(to, ports.Patroni))
	if err != nil {
		return netip.Addr{}, false
	}
	defer connection.Close()
	local, err := netip.ParseAddrPort(connection.LocalAddr().String())
	return local.Addr().Unmap(), err == nil
}
