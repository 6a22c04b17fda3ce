package check

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// broadcast is what reaches every machine of a network.
var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// nobody says why no machine can be reached at an address, or "".
func nobody(a netip.Addr) string {
	switch a = a.Unmap(); {
	case a.IsUnspecified():
		return "must be the address of a machine: " + a.String() + " means all addresses of one"
	case a.IsMulticast():
		return "must be the address of one machine: " + a.String() + " is a multicast address"
	case a == broadcast:
		return "must be the address of one machine: " + a.String() + " is the broadcast address"
	}
	return ""
}

// plain is an address in its shortest form, and any other text as it is.
func plain(s string) string {
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap().String()
	}
	return s
}

// SameIP reports whether two addresses are one, in whatever form they are written.
func SameIP(a, b string) bool { return plain(a) == plain(b) }

// mistaken is what of 127.0.0.0/8 somebody takes for an address of a machine. On one host a cluster may
// be on the rest, as those of tests are.
var mistaken = netip.MustParsePrefix("127.0.0.0/16")

// Loopback reports whether each machine reaches itself at an address.
func Loopback(a netip.Addr) bool {
	a = a.Unmap()
	return a == netip.IPv6Loopback() || mistaken.Contains(a)
}

// HostIP requires an address at which others reach a machine.
func HostIP(s string) string {
	if reason := IP(s); reason != "" {
		return reason
	}
	a := netip.MustParseAddr(s)
	if reason := nowhere(a); reason != "" {
		return reason
	}
	switch {
	case Loopback(a):
		return "must be an address at which others reach the machine: " + a.String() + " is a loopback address"
	case a.IsLinkLocalUnicast() && a.Is6():
		return "must be an address that others reach without the name of an interface: " + a.String() + " is link-local"
	case a.IsLinkLocalUnicast():
		return "must be an address that others reach from other networks too: " + a.String() + " is link-local (" + linkLocal.String() + ")"
	}
	return ""
}

// Itself reports whether a machine reaches itself by an address or a name.
func Itself(s string) bool {
	name := strings.TrimSuffix(strings.ToLower(s), ".")
	a, err := netip.ParseAddr(s)
	return err == nil && a.Unmap().IsLoopback() || name == "localhost" || strings.HasSuffix(name, ".localhost") || name == "localhost.localdomain"
}

// GatewayIP requires an address that a default route can go by: one that is link-local can.
func GatewayIP(s string) string {
	if reason := IP(s); reason != "" {
		return reason
	}
	a := netip.MustParseAddr(s)
	if Loopback(a) {
		return "must be the address of another machine: " + a.String() + " is a loopback address"
	}
	return nowhere(a)
}

var linkLocal = netip.MustParsePrefix("169.254.0.0/16")

// reserved are networks in which no machine has an address: RFC 6890. Not 240.0.0.0/4, which Linux takes
// as any other, and who has run out of private addresses uses.
var reserved = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100::/64")}

// nowhere says why no machine has an address, or "".
func nowhere(a netip.Addr) string {
	for _, network := range reserved {
		if network.Contains(a) {
			return "must be the address of a machine: " + a.String() + " is in " + network.String() + ", which is reserved"
		}
	}
	return ""
}

// HostIn requires an address that a machine can have in a network of such a length. What is none
// is for others to report.
func HostIn(ip string, length int) string {
	a, err := netip.ParseAddr(ip)
	if err != nil || a.Is4In6() {
		return ""
	}
	network, err := a.Prefix(length)
	if err != nil || a.BitLen()-length < 2 { // two machines have one of two addresses
		return ""
	}
	switch {
	case a == network.Addr():
		return fmt.Sprintf("must be the address of a machine: %s is the network address of %s", a, network)
	case a.Is4() && !network.Contains(a.Next()):
		return fmt.Sprintf("must be the address of a machine: %s is the broadcast address of %s", a, network)
	}
	return ""
}

// Domain requires a DNS name that is no address.
func Domain(s string) string {
	if _, err := netip.ParseAddr(s); err == nil {
		return "must be a domain name, not the address " + Quote(s)
	}
	return DomainName(s)
}

// Endpoints adds what is wrong with endpoints, each and together.
func (l *List) Endpoints(path string, endpoints []string) {
	same := make([]string, len(endpoints))
	for i, endpoint := range endpoints {
		l.Check(Index(path, i), Endpoint(endpoint))
		if a, err := netip.ParseAddrPort(endpoint); err == nil {
			same[i] = netip.AddrPortFrom(a.Addr().Unmap(), a.Port()).String()
		}
	}
	l.Distinct(Each(path, len(same), ""), same)
}

// NotTaken adds a problem for what one machine owns and another uses, such as the address of its
// gateway: both lists are of the same machines.
func (l *List) NotTaken(owned, others [][]Owned) {
	for i, of := range others {
		for _, other := range of {
			for j, thing := range owned {
				at := slices.IndexFunc(thing, func(o Owned) bool { return o.Kind == other.Kind && other.is(o) })
				if at >= 0 && i != j {
					l.Add(thing[at].Path, "must differ from %s: both are %s", other.Path, Quote(other.Value)).
						Needing(other.Path).Needing(other.Needs...).Needing(thing[at].Needs...)
				}
			}
		}
	}
}

// VirtualRouter is the id of VRRP that an address has by default: its last byte, by which two addresses of a /24
// differ, or 255.
func VirtualRouter(address string) int {
	a, err := netip.ParseAddr(address)
	if bytes := a.AsSlice(); err == nil && bytes[len(bytes)-1] != 0 {
		return int(bytes[len(bytes)-1])
	}
	return 255
}
