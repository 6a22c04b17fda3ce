package postgres

import (
	"net/netip"
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// warnOfAllowlist is of a list that lets everybody in, or shuts out the machine that Pulumi
// runs on, whose gates switch over and restart nodes.
func (a PostgresClusterArgs) warnOfAllowlist() check.List {
	var l check.List
	const path = "patroni.allowlist"
	var networks []netip.Prefix
	for _, from := range a.Patroni.Allowlist {
		network, err := netip.ParsePrefix(from)
		if err != nil {
			address, err := netip.ParseAddr(from)
			if err != nil {
				return nil // not known yet
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		if network.Bits() == 0 {
			l.Add(path, "has %s, which is every address", from)
		}
		networks = append(networks, network)
	}
	for i, n := range a.Nodes {
		from, _ := server.LocalAddress(n.backend().IP())
		local, err := netip.ParseAddr(from)
		if err == nil && len(networks) > 0 && !slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(local) }) {
			l.Add(path, "has not %s, from which this machine reaches %s: unless the network translates that address, updates cannot switch over", local, n.Name).
				Needing(check.Index("nodes", i))
			break
		}
	}
	return l
}
