package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// TestFirewallWarnings warns of a list that shuts out the host that runs Pulumi, where that matters.
func TestFirewallWarnings(t *testing.T) {
	t.Parallel()
	doors := append([]host.Door{{Service: "clients", Port: 2379, Protocol: host.TCP, Asked: true}, {Service: "peers", Port: 2380, Protocol: host.TCP}}, host.Doors...)
	networks := []string{"10.0.9.0/24", "2001:db8::/64"}
	f := &host.Firewall{AllowedNetworks: map[string][]string{"ssh": networks, "metrics": networks, "peers": networks, "clients": {"0.0.0.0/0", "10.0.0.0/8"}}}
	for from, want := range map[string][]string{
		"":           {"allowedNetworks.clients[0]"},
		"10.0.9.7":   {"allowedNetworks.clients[0]"},
		"10.0.8.7":   {"allowedNetworks.clients[0]", "allowedNetworks.metrics", "allowedNetworks.ssh"},
		"2001:db9::": {"allowedNetworks.clients[0]", "allowedNetworks.clients", "allowedNetworks.metrics", "allowedNetworks.ssh"},
	} {
		var paths []string
		for _, w := range f.Warnings(doors, from) {
			paths = append(paths, w.Path)
		}
		assert.Equal(t, want, paths, from)
	}
	assert.Empty(t, (*host.Firewall)(nil).Warnings(doors, "10.0.8.7"))
}
