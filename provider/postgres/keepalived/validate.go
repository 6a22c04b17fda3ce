package keepalived

import (
	"net/netip"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Validate returns what is wrong with v, in field order.
func (v VirtualIP) Validate() check.List {
	var l check.List
	l.Check("address", check.HostIP(v.Address))
	if v.VirtualRouterID != nil {
		l.Check("virtualRouterId", check.Range(*v.VirtualRouterID, 1, 255))
	}
	if ms := v.interval(); ms%10 != 0 {
		l.Add("advertisementIntervalMs", "must be a multiple of 10, which VRRP counts in, not %d", ms)
	} else {
		l.Check("advertisementIntervalMs", check.Range(ms, leastInterval, mostInterval))
	}
	for i, peer := range v.UnicastPeers {
		path := check.Index("unicastPeers", i)
		l.Check(path, check.HostIP(peer))
		switch {
		case check.HostIP(peer) != "" || check.HostIP(v.Address) != "":
		case check.SameIP(peer, v.Address):
			l.Add(path, "must be the address of another load balancer, not %s, which they share", check.Quote(peer)).Needing("address")
		case !SameVersion(peer, v.Address):
			l.Add(path, "must be of the version of IP of address, %s, not %s", v.Address, check.Quote(peer)).Needing("address")
		}
	}
	l.Distinct(check.Each("unicastPeers", len(v.UnicastPeers), ""), v.UnicastPeers)
	l.Check("priority", check.Range(v.priority(), 1, highest))
	return l
}

// SameVersion reports whether two addresses are of one version of IP.
func SameVersion(a, b string) bool {
	one, err := netip.ParseAddr(a)
	other, err2 := netip.ParseAddr(b)
	return err != nil || err2 != nil || one.Is4() == other.Is4()
}
