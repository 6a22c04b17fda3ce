package check

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// IP requires an IPv4 or IPv6 address of a machine.
func IP(s string) string {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil || a.Zone() != "":
		return not("an IP address", s)
	case a.Is4In6():
		return not("an IPv4 address in IPv4's own form, "+a.Unmap().String(), s)
	}
	return nobody(a)
}

// MAC requires the address of one network card, written aa:bb:cc:dd:ee:ff.
func MAC(s string) string {
	const bytes = `([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}`
	if !Matches(bytes, s) {
		return not("a MAC address such as 52:54:00:12:34:56", s)
	}
	first, err := strconv.ParseUint(s[:2], 16, 8)
	if err != nil || first&1 == 1 {
		return not("a unicast MAC address (its first octet even)", s)
	}
	if strings.Trim(s, "0:") == "" {
		return not("a MAC address other than all zeros", s)
	}
	return ""
}

// PrefixLength requires the length of a network that ip can be in. An ip that is
// no address is for IP to report.
func PrefixLength(ip string, length int) string {
	most := 128
	if a, err := netip.ParseAddr(ip); err == nil && a.Is4() {
		if most = 32; length > most {
			return fmt.Sprintf("must be from 1 to 32 with an IPv4 address, %s, not %d", a, length)
		}
	}
	return Range(length, 1, most)
}

// InNetwork requires ip in the network of another address. A link-local one is beside each of IPv6.
func InNetwork(ip, other string, length int) string {
	a, err := netip.ParseAddr(ip)
	b, err2 := netip.ParseAddr(other)
	if err != nil || err2 != nil {
		return ""
	}
	network, err := b.Prefix(length)
	if err != nil || network.Contains(a) || b.Is6() && a.Is6() && a.IsLinkLocalUnicast() {
		return ""
	}
	return not("an address in "+network.String(), ip)
}

// Network requires a network such as 10.0.0.0/24.
func Network(s string) string {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return not("a network such as 10.0.0.0/24", s)
	}
	if p.Addr().Is4In6() {
		return not("an IPv4 network in IPv4's own form, such as 10.0.0.0/24", s)
	}
	if p != p.Masked() {
		return not(fmt.Sprintf("a network without host bits, as in %s", p.Masked()), s)
	}
	return ""
}

// NetworkOrIP requires a network, or the address of one host.
func NetworkOrIP(s string) string {
	if strings.Contains(s, "/") {
		return Network(s)
	}
	if address, err := netip.ParseAddr(s); err != nil || address.Is4In6() || address.Zone() != "" {
		return not("an IP address or a network such as 10.0.0.0/24", s)
	}
	return ""
}

// Prefix is what NetworkOrIP requires.
func Prefix(s string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	return netip.ParsePrefix(s)
}

// Covers reports whether an address is within one of networks. It is if it, or one of these, is
// none: that is refused elsewhere, or not known yet.
func Covers(networks []string, address string) bool {
	a, err := netip.ParseAddr(address)
	return err != nil || slices.ContainsFunc(networks, func(network string) bool {
		p, err := Prefix(network)
		return err != nil || p.Contains(a)
	})
}

// HostName requires one label of a host name, as RFC 1123 has it.
func HostName(s string) string {
	if len(s) > 63 || !Matches(`[a-z0-9]([-a-z0-9]*[a-z0-9])?`, s) {
		return not("a host name: 1 to 63 of a-z, 0-9 and -, not beginning or ending with -", s)
	}
	return ""
}

// DomainName requires a DNS name of one or more labels.
func DomainName(s string) string {
	const label = `[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?`
	if len(s) > 253 || !Matches(label+`(\.`+label+`)*\.?`, s) {
		return not("a domain name", s)
	}
	return ""
}

// Origin requires the name of a zone.
func Origin(s string) string {
	if len(s) > 253 || !Matches(OriginPattern, s) {
		return not("the name of a zone in lower case and without a trailing dot, as in example.org", s)
	}
	return ""
}

// URL requires an absolute http or https URL. What it shows has no password.
func URL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "must be an http or https URL" // the text may hold a password
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		if strings.Contains(s, "@") {
			return "must be an http or https URL"
		}
		return not("an http or https URL", s)
	}
	return ""
}

// Endpoint requires an address and a port, as in 10.0.0.1:2379 or [fd00::1]:2379.
func Endpoint(s string) string {
	a, err := netip.ParseAddrPort(s)
	if err != nil || a.Port() == 0 || a.Addr().Zone() != "" {
		return not("an IP address and a port, as in 10.0.0.1:2379", s)
	}
	if ip := a.Addr(); ip.Is6() && ip.IsLinkLocalUnicast() {
		return "must be an address that is reached without the name of an interface: " + ip.String() + " is link-local"
	}
	return nobody(a.Addr())
}
