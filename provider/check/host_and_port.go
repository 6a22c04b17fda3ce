package check

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// HostAndPort requires an address or name, and a port.
func HostAndPort(s string) string {
	host, port, err := net.SplitHostPort(s)
	number, wrong := strconv.ParseUint(port, 10, 16)
	if _, notIP := netip.ParseAddr(host); err != nil || wrong != nil || number == 0 || notIP != nil && DomainName(host) != "" {
		return "must be an address or a name, and a port, as in 10.0.0.41:5432 or [fd00::41]:5432, not " + Quote(s)
	}
	if strings.Contains(host, "%") {
		return "must be an address that is reached without the name of an interface, not " + Quote(s)
	}
	return ""
}
