package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestHostsHaveAddressesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ip     string
		length int
		fits   bool
	}{
		{"10.77.0.1", 24, true},
		{"10.77.0.254", 24, true},
		{"10.77.0.0", 24, false},
		{"10.77.0.255", 24, false},
		{"10.77.0.255", 16, true},
		{"10.77.0.0", 31, true},
		{"10.77.0.1", 31, true},
		{"10.77.0.1", 32, true},
		{"2001:db8::", 64, false},
		{"2001:db8::1", 64, true},
		{"2001:db8::ffff:ffff:ffff:ffff", 64, true}, // IPv6 has no broadcast
		{"2001:db8::", 127, true},
		{"none", 24, true},
		{"10.77.0.0", 33, true}, // the length is refused
	} {
		assert.Equal(t, c.fits, check.HostIn(c.ip, c.length) == "", "%s/%d", c.ip, c.length)
	}
	for _, ip := range []string{
		"0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "127.0.0.1", "127.0.1.1", "::1", "fe80::1", "::ffff:127.0.0.1", "fe80::1%eth0",
		"0.1.2.3", "169.254.1.1", "100::1",
	} {
		assert.NotEmpty(t, check.HostIP(ip), ip)
	}
	for _, ip := range []string{"10.0.0.1", "2001:db8::1", "192.0.2.1", "1.0.0.1", "128.0.0.1", "169.253.255.255", "169.255.0.1", "223.255.255.254", "fec0::1", "100:0:0:1::1", "240.0.0.1", "255.255.255.254"} {
		assert.Empty(t, check.HostIP(ip), ip)
	}
}

func TestGatewaysMayBeLinkLocal(t *testing.T) {
	t.Parallel()
	for ip, is := range map[string]bool{
		"10.0.0.1": true, "fe80::1": true, "169.254.0.1": true,
		"127.0.0.1": false, "::1": false, "0.1.2.3": false, "240.0.0.1": true, "224.0.0.1": false, "10.0.0": false,
	} {
		assert.Equal(t, is, check.GatewayIP(ip) == "", ip)
	}
}

func TestEndpointsAreReachedWithoutAnInterface(t *testing.T) {
	t.Parallel()
	for endpoint, is := range map[string]bool{"[fd00::1]:2379": true, "169.254.0.1:2379": true, "127.0.0.1:2379": true, "[fe80::1]:2379": false, "[ff02::1]:2379": false} {
		assert.Equal(t, is, check.Endpoint(endpoint) == "", endpoint)
	}
}
