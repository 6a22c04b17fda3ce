package fromterraform

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// interfaces are those on networks of libvirt, and macvtap ones.
func (s *inventory) interfaces(m *Machine, r Resource, config section) {
	var networks, macvtaps []*block
	for i, nic := range r.Values.blocks("network_interface") {
		b, mac := newBlock(), nic.text("mac")
		entry := ethernet(config, i, mac)
		network, macvtap := nic.text("network_name"), nic.text("macvtap")
		switch {
		case macvtap != "":
			b.set("interface", macvtap)
			macvtaps = append(macvtaps, b)
		case network != "":
			b.set("networkName", network)
			networks = append(networks, b)
		case nic.text("network_id") != "":
			b.set("networkId", nic.text("network_id"))
			networks = append(networks, b)
		case nic.text("bridge") != "": // as Terraform reads a network of libvirt that is a bridge of the host
			s.bridged(b, nic.text("bridge"), r)
			networks = append(networks, b)
		default:
			m.where.note("network_interface[%d] of %s is neither on a network of libvirt nor macvtap: it is not taken over", i, r.Address)
			continue
		}
		if entry.ip == "" {
			s.leased(&entry, nic, r)
		}
		entry.set(b, mac, r.Address)
	}
	if len(networks)+len(macvtaps) == 0 {
		b := newBlock()
		b.ask("networkName", asked{words: "network name", what: "network of libvirt for machines", why: r.Address + " has no interface that is on one", example: "default"})
		wire{length: -1}.set(b, "", r.Address)
		networks = append(networks, b)
	}
	for _, b := range append(slices.Clone(networks), macvtaps...) { // the order of addresses
		if ip := b.get("ip").Value; ip != "" {
			m.addresses = append(m.addresses, ip)
		}
	}
	m.where.set("networks", networks)
	m.where.set("macvtapInterfaces", macvtaps)
}

// set has an interface as it was, and asks for what is not known of it.
func (w wire) set(b *block, mac, machine string) {
	if w.ip != "" {
		b.set("ip", w.ip)
	} else {
		b.ask("ip", asked{words: "ip", what: "address", why: machine + " has none for this interface, neither has its cloud-init drive", example: "10.0.0.5", own: true})
	}
	b.set("mac", mac)
	if w.length >= 0 {
		b.set("prefixLength", w.length)
	} else {
		b.ask("prefixLength", asked{
			words: "prefix length", what: "length of the network's prefix", example: "24", number: true,
			why: "libvirt's DHCP gave it, and the network is not in the state. Give gateway and dnsServers with it",
		})
	}
	b.set("gateway", w.gateway)
	if w.length >= 0 && w.gateway == "" {
		b.note("gateway: neither the state nor the cloud-init drive has one for this interface")
	}
	b.set("dnsServers", w.dns)
}

// leads has the interface with an address be the first, which is that of what runs there,
// or says that it cannot be.
func (m *Machine) leads(ip string) bool {
	if ip == "" || m.backend == "" {
		return true
	}
	if port := m.where.get("networkPort"); port != nil {
		at := valueOf(port, "ip")
		if at != nil && at.Value == "" {
			at.Value = ip
			m.addresses = append(m.addresses, ip)
		}
		return at != nil && check.SameIP(at.Value, ip)
	}
	var all, unknown []*yaml.Node
	first := m.where.get("networks")
	for _, kind := range []*yaml.Node{first, m.where.get("macvtapInterfaces")} {
		if kind == nil {
			continue
		}
		all = append(all, kind)
		for _, nic := range kind.Content {
			at := valueOf(nic, "ip")
			if at != nil && at.Value == "" {
				unknown = append(unknown, at)
			}
		}
	}
	if len(unknown) > 0 && !slices.ContainsFunc(m.addresses, func(other string) bool { return check.SameIP(other, ip) }) {
		unknown[0].Value = ip
		m.addresses = append(m.addresses, ip)
	}
	if len(all) == 0 {
		return false
	}
	nics := all[0].Content
	i := slices.IndexFunc(nics, func(nic *yaml.Node) bool { at := valueOf(nic, "ip"); return at != nil && check.SameIP(at.Value, ip) })
	if i > 0 {
		all[0].Content = slices.Insert(slices.Delete(slices.Clone(nics), i, i+1), 0, nics[i])
	}
	return i >= 0
}

func valueOf(mapping *yaml.Node, key string) *yaml.Node { return (&block{node: mapping}).get(key) }
