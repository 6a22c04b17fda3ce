package postgres

import (
	"net/netip"
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// warnOfAllowlist is of a list that lets everybody in, or shuts out the host that runs Pulumi,
// whose gates switch over and restart nodes.
func (a PostgresClusterArgs) warnOfAllowlist() check.List {
	var l check.List
	const path = "patroni.allowlist"
	var networks []netip.Prefix
	for _, from := range a.Patroni.Allowlist {
		network, err := netip.ParsePrefix(from)
		if err != nil {
			address, err := netip.ParseAddr(from)
			if err != nil {
				return l // not known yet
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		if network.Bits() == 0 {
			l.Add(path, "includes %s, which is every address", from)
		}
		networks = append(networks, network)
	}
	for i, n := range a.Nodes {
		from, _ := server.LocalAddress(n.backend().IP())
		local, err := netip.ParseAddr(from)
		if err == nil && len(networks) > 0 && !slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(local) }) {
			l.Add(path, "does not include %s, the address from which Pulumi runs, unless NAT changes it: updates cannot switch over", local).
				Needing(check.Index("nodes", i))
			break
		}
	}
	return l
}
