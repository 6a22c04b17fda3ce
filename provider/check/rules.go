package check

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// IP requires an IPv4 or IPv6 address.
func IP(s string) string {
	if a, err := netip.ParseAddr(s); err != nil || a.Zone() != "" {
		return not("an IP address", s)
	}
	return ""
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
		most = 32
	}
	return Range(length, 1, most)
}

// InNetwork requires ip in the network of another address.
func InNetwork(ip, other string, length int) string {
	a, err := netip.ParseAddr(ip)
	b, err2 := netip.ParseAddr(other)
	if err != nil || err2 != nil {
		return ""
	}
	network, err := b.Prefix(length)
	if err != nil || network.Contains(a) {
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
	if p != p.Masked() {
		return not(fmt.Sprintf("a network without host bits, as in %s", p.Masked()), s)
	}
	return ""
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

// OriginPattern is what the name of a zone looks like where zones are kept: in
// small letters and without the final dot, so that there is one way to write it.
const (
	OriginPattern = originLabel + `(\.` + originLabel + `)*`
	originLabel   = `[a-z0-9_]([-a-z0-9_]{0,61}[a-z0-9_])?`
)

// Origin requires the name of a zone.
func Origin(s string) string {
	if len(s) > 253 || !Matches(OriginPattern, s) {
		return not("the name of a zone in lower case and without a trailing dot, as in example.org", s)
	}
	return ""
}

// UserName requires a name that Linux distributions take for a user.
func UserName(s string) string {
	if !Matches(`[a-z_][-a-z0-9_]{0,31}`, s) {
		return not("a user name: up to 32 of a-z, 0-9, _ and -, beginning with a letter or _", s)
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
	if a, err := netip.ParseAddrPort(s); err != nil || a.Port() == 0 || a.Addr().Zone() != "" {
		return not("an IP address and a port, as in 10.0.0.1:2379", s)
	}
	return ""
}

// KeyPrefix requires what keys of etcd begin with: like a path, but not that of all.
func KeyPrefix(s string) string {
	if !Matches(`/[!-.0-~]+(/[!-.0-~]+)*/?`, s) {
		return "must begin with a slash, as in /zones/, and have no white space and no empty parts, not " + Quote(s)
	}
	return ""
}

// SHA256 wants a checksum in hexadecimal.
func SHA256(s string) string {
	if !Matches(`[0-9A-Fa-f]{64}`, s) {
		return not("a SHA-256 checksum of 64 hexadecimal digits", s)
	}
	return ""
}

// Positive requires more than zero.
func Positive(n int) string {
	if n < 1 {
		return fmt.Sprintf("must be 1 or more, not %d", n)
	}
	return ""
}

// Range requires a number from low to high.
func Range(n, low, high int) string {
	if n < low || n > high {
		return fmt.Sprintf("must be from %d to %d, not %d", low, high, n)
	}
	return ""
}

// Port requires the number of a TCP or UDP port.
func Port(n int) string { return Range(n, 1, 65535) }

// AbsolutePath requires a path from the root, without "..", "//" or a final slash.
func AbsolutePath(s string) string {
	if !path.IsAbs(s) || path.Clean(s) != s || strings.ContainsAny(s, "\x00\n") {
		return not("an absolute path", s)
	}
	return ""
}

// Duration requires a span of time of Go's notation, more than none.
func Duration(s string) string {
	if d, err := time.ParseDuration(s); err != nil || d <= 0 {
		return not(`a duration such as "30s" or "1h30m"`, s)
	}
	return ""
}

func not(wanted, found string) string {
	return "must be " + wanted + ", not " + Quote(found)
}

// Matches reports whether the whole of s matches a regular expression.
func Matches(pattern, s string) bool {
	whole, ready := compiled.Load(pattern)
	if !ready {
		whole = regexp.MustCompile(`\A(?:` + pattern + `)\z`)
		compiled.Store(pattern, whole)
	}
	return whole.(*regexp.Regexp).MatchString(s)
}

// compiled are the patterns that were used: a zone has thousands of names.
var compiled sync.Map
