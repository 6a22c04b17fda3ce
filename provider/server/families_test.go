package server

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
)

// TestLacks holds which addresses a machine does not reach: on libvirt it has those that are given
// alone, on OpenStack its port may have one by SLAAC beside an IPv4.
func TestLacks(t *testing.T) {
	t.Parallel()
	id := "1f6cb6c6-3e4c-4b0e-9d3b-2f4c1f1f3d51"
	onLibvirt := func(ips ...string) Backend {
		c := &libvirt.Config{}
		for _, ip := range ips {
			c.Networks = append(c.Networks, libvirt.Network{IP: ip})
		}
		return Backend{Libvirt: c}
	}
	onOpenStack := func(ip string, port *string) Backend {
		return Backend{OpenStack: &openstack.Config{NetworkPort: openstack.NetworkPort{ID: port, IP: ip}}}
	}
	for name, c := range map[string]struct {
		machine Backend
		to      string
		lacks   bool
	}{
		"libvirt, other version":               {onLibvirt("10.0.0.1"), "fd00::1", true},
		"libvirt, other version too":           {onLibvirt("fd00::1"), "10.0.0.1", true},
		"libvirt, both":                        {onLibvirt("fd00::1", "10.0.0.1"), "10.0.0.2", false},
		"libvirt, not known":                   {onLibvirt(""), "10.0.0.2", false},
		"libvirt, none":                        {onLibvirt(), "10.0.0.2", false},
		"openstack, IPv6 by SLAAC":             {onOpenStack("10.0.0.1", nil), "fd00::1", false},
		"openstack, no IPv4":                   {onOpenStack("fd00::1", nil), "10.0.0.1", true},
		"openstack, a port of its own":         {onOpenStack("fd00::1", &id), "10.0.0.1", false},
		"what no machine has is refused alone": {onLibvirt("10.0.0.1"), "::1", false},
	} {
		assert.Equal(t, c.lacks, c.machine.lacks(c.to), name)
	}
}
