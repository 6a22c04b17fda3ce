package zone

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// howToAsk is how to ask the servers when they serve the zone, or "" where that
// was said before.
func (a HealthArgs) howToAsk(before *HealthState) string {
	if before != nil && before.Domain == a.Domain && check.SameTexts(before.Servers, a.Servers) {
		return ""
	}
	lines := []string{"How to ask the servers of " + a.Domain + ":"}
	for _, server := range a.Servers {
		at, err := netip.ParseAddrPort(address(server))
		if err != nil {
			continue
		}
		line := "  dig @" + at.Addr().String()
		if at.Port() != ports.DNS {
			line += fmt.Sprintf(" -p %d", at.Port())
		}
		lines = append(lines, line+" "+a.Domain+" SOA")
	}
	return strings.Join(lines, "\n")
}
