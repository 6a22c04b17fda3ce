package libvirt

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Owns is what no other machine may have. Volumes are those of a hypervisor, and
// so may be its networks: two of them may have the same addresses, unless others
// come to the machine there, at its first.
func (c Config) Owns() (all []check.Owned) {
	here := check.Owned{Within: "libvirt " + value(c.URI), Needs: []string{"uri"}}
	add := func(at check.Owned, path string, kind check.Kind, of string) {
		at.Path, at.Kind, at.Value = path, kind, of
		all = append(all, at)
	}
	add(here, "volumeId", check.Disks, value(c.VolumeID))
	add(here, "dataVolumeId", check.Disks, value(c.DataVolumeID))
	ips := c.IPs()
	for i, path := range c.IPPaths() {
		if i > 0 && i < len(c.Networks) {
			add(here, path, check.Addresses, ips[i])
		} else {
			add(check.Owned{}, path, check.Addresses, ips[i])
		}
	}
	for i, n := range c.Networks {
		add(check.Owned{}, check.Index("networks", i)+".mac", check.Cards, strings.ToLower(value(n.MAC)))
	}
	for i, m := range c.MacvtapInterfaces {
		add(check.Owned{}, check.Index("macvtapInterfaces", i)+".mac", check.Cards, strings.ToLower(value(m.MAC)))
	}
	return all
}
