package postgres

import (
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/keepalived"
)

// validateVirtualIP requires the address, and those whom it is shared with, in a network of the
// machine, and the firewall to let these in.
func (a PostgresLoadBalancerArgs) validateVirtualIP() check.List {
	var l check.List
	if a.VirtualIP == nil {
		return nil
	}
	v := *a.VirtualIP
	l.Under("virtualIp", v.Validate())
	if check.HostIP(v.Address) != "" {
		return l
	}
	own, reason := a.Backend().Beside(v.Address)
	if reason != "" {
		l.Add("virtualIp.address", "%s", reason).Needing("ips")
	}
	for i, peer := range v.UnicastPeers {
		path := check.Index("virtualIp.unicastPeers", i)
		if check.HostIP(peer) != "" || !keepalived.SameVersion(peer, v.Address) {
			continue
		}
		if beside, _ := a.Backend().Beside(peer); own != "" && beside != own {
			l.Add(path, "must be in the network of virtualIp.address, %s, as %s is, not %s", v.Address, own, check.Quote(peer)).
				Needing("virtualIp.address", "ips")
		}
		l.Under("", a.MustAdmit(vrrpDoor, "another load balancer", peer, path))
	}
	return l
}

// ownsVirtualIP requires the address to be that of nobody else, as far as a load balancer knows
// others, and those whom it is shared with to be others. In a cluster there are more of these.
func (a PostgresLoadBalancerArgs) ownsVirtualIP() check.List {
	var l check.List
	if a.VirtualIP == nil {
		return nil
	}
	own := a.Backend().Owned("")
	others := slices.Concat(own, a.Backend().Uses(""))
	for _, list := range []struct {
		name string
		ips  []string
	}{{"haproxy.servers", a.Haproxy.Servers}, {"haproxy.nameserverIps", a.Haproxy.NameserverIPs}} {
		for i, ip := range list.ips {
			others = append(others, check.Owned{Path: check.Index(list.name, i), Kind: check.Addresses, Value: ip})
		}
	}
	l.NotTaken([][]check.Owned{nil, a.VirtualIP.Owned("virtualIp")}, [][]check.Owned{others, nil})
	l.First(keepalived.NotOfNameServers(a.VirtualIP.Owned("virtualIp"), a.Backend().NameServers("")))
	for i, peer := range a.VirtualIP.UnicastPeers {
		it := check.Owned{Path: check.Index("virtualIp.unicastPeers", i), Kind: check.Addresses, Value: peer}
		l.NotTaken([][]check.Owned{nil, {it}}, [][]check.Owned{own, nil})
	}
	return l
}

// warnOfVirtualIP is of what is allowed, and seldom meant.
func (a PostgresLoadBalancerArgs) warnOfVirtualIP() check.List {
	var l check.List
	if a.VirtualIP == nil {
		return nil
	}
	if len(a.VirtualIP.UnicastPeers) == 0 {
		l.Add("virtualIp.unicastPeers", "has no other load balancer: the address moves nowhere while this machine is away").Shape()
	}
	if o := a.OpenStack; o != nil && o.NetworkPort.ID != nil {
		l.Add("virtualIp.address", "must be among the allowed address pairs of the port openstack.networkPort.id, which is not made here: OpenStack drops what comes from another address").
			Shape().Needing("openstack.networkPort.id")
	}
	return l
}
