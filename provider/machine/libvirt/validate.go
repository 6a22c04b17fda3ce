package libvirt

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// mostVCPUs is what QEMU's machine type pc takes: others lack the drive of cloud-init.
const mostVCPUs = 255

// Validate returns what is wrong with c, in field order.
func (c Config) Validate() check.List {
	var l check.List
	l.Check("vcpus", check.Range(ptr.Value(c.VCPUs), 1, mostVCPUs))
	l.Check("memory", check.MemoryMiB.Check(ptr.Value(c.Memory)))
	l.ExactlyOne("", "volumeId", c.VolumeID != nil, "volume", c.Volume != nil)
	if c.Volume != nil {
		l.Under("volume", c.Volume.validate())
	}
	if c.DataVolumeID != nil && c.DataVolume != nil {
		l.Add("dataVolume", "must not be given together with dataVolumeId").Shape().Needing("dataVolumeId")
	}
	if c.DataVolume != nil {
		l.Required("dataVolume.pool", c.DataVolume.Pool)
		l.Check("dataVolume.size", check.VolumeBytes.Check(c.DataVolume.Size))
	}
	if len(c.Networks)+len(c.MacvtapInterfaces) == 0 {
		l.Add("networks", "must have an interface, or macvtapInterfaces must").Shape().Needing("macvtapInterfaces")
	}
	l.Required("cloudInitVolumePool", c.CloudInitVolumePool)
	l.Under("", c.names())
	if c.CPUMode != nil {
		l.OneOf("cpuMode", *c.CPUMode, hostCPU, "host-model", "custom", "maximum")
	}
	l.Under("", c.addresses())
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (c Config) Warnings() check.List {
	var l check.List
	if memory := ptr.Value(c.Memory); memory > 1<<20 {
		l.Add("memory", "is %d MiB, which is more than 1 TiB: KiB was meant? %d KiB are %d", memory, memory, memory>>10)
	}
	l.Under("", c.sharedNetworks())
	l.Under("", c.farDNSServers())
	return l
}

// sharedNetworks are those that two interfaces are in: what comes by one may be answered by the other.
func (c Config) sharedNetworks() check.List {
	var l check.List
	var paths []string
	var networks []netip.Prefix
	add := func(path, ip string, length int) {
		a, err := netip.ParseAddr(ip)
		if err != nil {
			return
		}
		network, err := a.Prefix(length)
		if err != nil {
			return
		}
		if i := slices.IndexFunc(networks, network.Overlaps); i >= 0 {
			l.Add(path+".ip", "%s is in the network of %s too: answers may leave by the other interface", ip, paths[i]+".ip").
				Needing(path+".prefixLength", paths[i])
		}
		paths, networks = append(paths, path), append(networks, network)
	}
	for i, n := range c.Networks {
		add(check.Index("networks", i), n.IP, n.PrefixLength)
	}
	for i, m := range c.MacvtapInterfaces {
		add(check.Index("macvtapInterfaces", i), m.IP, m.PrefixLength)
	}
	return l
}

func (v Volume) validate() check.List {
	var l check.List
	l.Required("pool", v.Pool)
	if v.Size != nil {
		l.Check("size", check.VolumeBytes.Check(*v.Size))
	}
	l.ExactlyOne("", "baseVolumeId", v.BaseVolumeID != nil, "baseVolumeName", v.BaseVolumeName != nil)
	if v.BaseVolumePool != nil && v.BaseVolumeName == nil {
		l.Add("baseVolumePool", "requires baseVolumeName").Shape()
	}
	l.OneOf("format", ptr.Value(v.Format), defaultFormat, "raw")
	return l
}

// addresses checks the interfaces, each and together.
func (c Config) addresses() check.List {
	var l check.List
	var paths, ips, macs []string
	gateways := map[bool]string{} // by whether it is of IPv4
	add := func(path string, i address) {
		l.Under(path, i.validate())
		if gateway, err := netip.ParseAddr(ptr.Value(i.gateway)); err == nil {
			if other, has := gateways[gateway.Is4()]; has {
				l.Add(path+".gateway", "must be left out: the default route goes by %s already, and there is one for IPv4 and one for IPv6", other).Needing(other)
			} else {
				gateways[gateway.Is4()] = path + ".gateway"
			}
		}
		paths, ips, macs = append(paths, path), append(ips, i.ip), append(macs, strings.ToLower(ptr.Value(i.mac)))
	}
	for i, n := range c.Networks {
		path := fmt.Sprintf("networks[%d]", i)
		l.ExactlyOne(path, "networkId", n.NetworkID != nil, "networkName", n.NetworkName != nil)
		add(path, address{n.IP, n.MAC, n.PrefixLength, n.Gateway, n.DNSServers})
	}
	for i, m := range c.MacvtapInterfaces {
		path := fmt.Sprintf("macvtapInterfaces[%d]", i)
		l.Required(path+".interface", m.Interface)
		add(path, address{m.IP, m.MAC, m.PrefixLength, m.Gateway, m.DNSServers})
	}
	l.Distinct(under(paths, "ip"), ips)
	l.Distinct(under(paths, "mac"), macs)
	return l
}

// address is what both kinds of interface have.
type address struct {
	ip         string
	mac        *string
	prefix     int
	gateway    *string
	dnsServers []string
}

func (a address) validate() check.List {
	var l check.List
	l.Check("ip", check.HostIP(a.ip))
	if a.mac != nil {
		l.Check("mac", check.MAC(*a.mac))
	}
	wrong := check.PrefixLength(a.ip, a.prefix)
	if wrong != "" {
		problem := l.Add("prefixLength", "%s", wrong)
		if check.Range(a.prefix, 1, 32) != "" && check.Range(a.prefix, 1, 128) == "" { // right or wrong by the address
			problem.Needing("ip")
		}
	}
	if reason := check.HostIn(a.ip, a.prefix); wrong == "" && check.HostIP(a.ip) == "" && reason != "" {
		l.Add("ip", "%s", reason).Needing("prefixLength")
	}
	if a.gateway != nil {
		reason := check.GatewayIP(*a.gateway)
		if reason == "" && wrong == "" {
			reason = cmp.Or(a.beyond(), check.HostIn(*a.gateway, a.prefix))
		}
		if reason == "" && check.SameIP(*a.gateway, a.ip) {
			reason = "must be the address of another machine than this one, which has " + a.ip
		}
		if reason != "" {
			l.Add("gateway", "%s", reason).Needing("ip", "prefixLength")
		}
	}
	l.Distinct(check.Each("dnsServers", len(a.dnsServers), ""), a.dnsServers)
	for i, s := range a.dnsServers {
		l.Check(fmt.Sprintf("dnsServers[%d]", i), check.IP(s))
	}
	return l
}

// beyond says why a gateway is not in the network of the machine, or "". Routes to one on the link
// itself are none that each renderer of cloud-init writes: that of networkd leaves out on-link.
func (a address) beyond() string {
	reason := check.InNetwork(*a.gateway, a.ip, a.prefix)
	if ip, err := netip.ParseAddr(a.ip); err != nil || reason == "" || a.prefix < ip.BitLen() {
		return reason
	}
	return fmt.Sprintf("must be in the network of ip, and with prefixLength %d there is no other address in that, so not %s: a route to a gateway outside of it (on-link) is not supported. "+
		"Set prefixLength to one that ip and gateway are both in, use a link-local gateway with IPv6, or leave gateway out", a.prefix, check.Quote(*a.gateway))
}

func under(paths []string, field string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = p + "." + field
	}
	return all
}
