package server

import (
	"net/netip"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Peer is one of several machines that connect to each other, whose inputs are at a path.
type Peer struct {
	Path    string
	Backend Backend
}

// MustReachEachOther requires machines to have addresses of one version of IP.
func MustReachEachOther(machines []Peer) check.List {
	var l check.List
	for i, m := range machines {
		for _, other := range machines[:i] {
			if m.lacks(other) || other.lacks(m) {
				l.Under("", m.mustBeLike(other))
				break
			}
		}
	}
	return l
}

// MustReachAll requires machines to have addresses by which they reach others.
func MustReachAll(machines, others []Peer) check.List {
	var l check.List
	for _, m := range machines {
		for _, other := range others {
			if m.lacks(other) {
				l.Under("", m.mustBeLike(other))
				break
			}
		}
	}
	return l
}

func (p Peer) lacks(other Peer) bool { return p.Backend.lacks(other.Backend.IP()) }

func (p Peer) mustBeLike(other Peer) (l check.List) {
	mine, its := p.Backend.IPPaths(p.Path), other.Backend.IPPaths(other.Path)
	l.Add(mine[0], "must be an %s address, as %s is, not %s: the two machines connect to each other, and one of them has no address of the other's version of IP",
		versionOf(other.Backend.IP()), its[0], check.Quote(p.Backend.IP())).Needing(mine...).Needing(its...)
	return l
}

// MustReach requires the machine to have an address by which it reaches another one, an input at a path.
func (a ServerArgs) MustReach(path, ip string) (l check.List) {
	if b := a.Backend(); b.lacks(ip) {
		l.Add(path, "must be an %s address, not %s: the machine has no %s address", versionOf(b.IP()), check.Quote(ip), versionOf(ip)).Needing(b.IPPaths("")...)
	}
	return l
}

// MustReachOneOf requires the machine to have an address by which it reaches any of some endpoints.
func (a ServerArgs) MustReachOneOf(path string, endpoints []string) check.List {
	var l check.List
	for i, endpoint := range endpoints {
		to, err := netip.ParseAddrPort(endpoint)
		if err != nil {
			return nil
		}
		problems := a.MustReach(check.Index(path, i), to.Addr().String())
		if len(problems) == 0 {
			return nil
		}
		l = append(l, problems...)
	}
	return l
}

// lacks reports whether a machine has no address of the version of IP that another one is of. A
// port that is there already may have more than the one that is given, and a new one gets one of
// each subnet of its network in which machines choose theirs by SLAAC. An address that is not known
// may be any, and what no machine can have is refused for that.
func (b Backend) lacks(ip string) bool {
	if check.HostIP(ip) != "" {
		return false
	}
	to := netip.MustParseAddr(ip)
	if b.OpenStack != nil && (b.OpenStack.NetworkPort.ID != nil || to.Is6()) {
		return false
	}
	for _, own := range b.IPs() {
		if from, err := netip.ParseAddr(own); err != nil || from.Is4() == to.Is4() {
			return false
		}
	}
	return len(b.IPs()) > 0
}

// versionOf is that of IP which an address is of.
func versionOf(ip string) string {
	if a, err := netip.ParseAddr(ip); err == nil && a.Is4() {
		return "IPv4"
	}
	return "IPv6"
}
