package check

import (
	"net/netip"
	"slices"
)

// Everywhere are the families of which networks have every address: "IPv4", "IPv6". One network may
// have them all, or some of them together, as 0.0.0.0/1 and 128.0.0.0/1.
func Everywhere(networks []string) (families []string) {
	var given []netip.Prefix
	for _, network := range networks {
		if p, err := Prefix(network); err == nil {
			given = append(given, p.Masked())
		}
	}
	for _, all := range []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)} {
		if fill(given, all) {
			families = append(families, family(all))
		}
	}
	return families
}

// fill reports whether networks have each address of one.
func fill(networks []netip.Prefix, all netip.Prefix) bool {
	switch {
	case slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Bits() <= all.Bits() && p.Overlaps(all) }):
		return true
	case !slices.ContainsFunc(networks, all.Overlaps):
		return false
	}
	bits := all.Bits() + 1
	upper := all.Addr().AsSlice()
	upper[(bits-1)/8] |= 0x80 >> ((bits - 1) % 8)
	half, _ := netip.AddrFromSlice(upper)
	return fill(networks, netip.PrefixFrom(all.Addr(), bits)) && fill(networks, netip.PrefixFrom(half, bits))
}

func family(p netip.Prefix) string {
	if p.Addr().Is4() {
		return "IPv4"
	}
	return "IPv6"
}

// EveryAddress warns of networks, an input at a path, that have every address: of each that does
// so alone, or else of those that do so together.
func EveryAddress(path string, networks []string) (l List) {
	left := Everywhere(networks)
	for i, network := range networks {
		if p, err := Prefix(network); err == nil && p.Bits() == 0 {
			l.Add(Index(path, i), "is every address of %s", family(p))
			left = slices.DeleteFunc(left, func(name string) bool { return name == family(p) })
		}
	}
	for _, name := range left {
		l.Add(path, "has every address of %s: its networks have them together", name)
	}
	return l
}
