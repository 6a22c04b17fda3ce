package libvirt

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Uses are what this machine has from others, which no machine beside it may have for itself:
// the gateways, and what its root volume lies on.
func (c Config) Uses() (all []check.Owned) {
	if c.Volume != nil {
		all = append(all, check.Owned{
			Path: "volume.baseVolumeId", Kind: check.Disks, Value: ptr.Value(c.Volume.BaseVolumeID), Within: "libvirt " + ptr.Value(c.URI), Needs: []string{"uri"},
		})
	}
	at := check.Owned{Kind: check.Addresses, Within: "libvirt " + ptr.Value(c.URI), Needs: []string{"uri"}}
	for i, n := range c.Networks {
		at.Path, at.Value = check.Index("networks", i)+".gateway", ptr.Value(n.Gateway)
		all = append(all, at)
	}
	for i, m := range c.MacvtapInterfaces {
		at.Path, at.Value = check.Index("macvtapInterfaces", i)+".gateway", ptr.Value(m.Gateway)
		all = append(all, at)
	}
	return all
}

// NameServers are the addresses of DNS servers, which machines may be as well.
func (c Config) NameServers() (all []check.Owned) {
	add := func(path string, ips []string) {
		for i, ip := range ips {
			all = append(all, check.Owned{Path: check.Index(path+".dnsServers", i), Kind: check.Addresses, Value: ip})
		}
	}
	for i, n := range c.Networks {
		add(check.Index("networks", i), n.DNSServers)
	}
	for i, m := range c.MacvtapInterfaces {
		add(check.Index("macvtapInterfaces", i), m.DNSServers)
	}
	return all
}

// Owns is what no other machine may have. Volumes are those of a hypervisor, and
// so may be its networks: two of them may have the same addresses, unless others
// come to the machine there, at its first.
func (c Config) Owns() (all []check.Owned) {
	here := check.Owned{Within: "libvirt " + ptr.Value(c.URI), Needs: []string{"uri"}}
	add := func(at check.Owned, path string, kind check.Kind, of string) {
		at.Path, at.Kind, at.Value = path, kind, of
		all = append(all, at)
	}
	add(here, "volumeId", check.Disks, ptr.Value(c.VolumeID))
	add(here, "dataVolumeId", check.Disks, ptr.Value(c.DataVolumeID))
	drives := check.Owned{Within: here.Within + " " + c.CloudInitVolumePool, Needs: []string{"uri", "cloudInitVolumePool"}}
	add(drives, "cloudInitVolumeName", check.Drives, ptr.Value(c.CloudInitVolumeName))
	ips := c.IPs()
	for i, path := range c.IPPaths() {
		if i > 0 && i < len(c.Networks) {
			add(here, path, check.Addresses, ips[i])
		} else {
			add(check.Owned{}, path, check.Addresses, ips[i])
		}
	}
	for i, n := range c.Networks {
		add(check.Owned{}, check.Index("networks", i)+".mac", check.Cards, strings.ToLower(ptr.Value(n.MAC)))
	}
	for i, m := range c.MacvtapInterfaces {
		add(check.Owned{}, check.Index("macvtapInterfaces", i)+".mac", check.Cards, strings.ToLower(ptr.Value(m.MAC)))
	}
	return all
}
