package fromterraform

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
)

// wire is what a machine's own configuration says of an interface.
type wire struct {
	ip, gateway string
	length      int64 // of the prefix; below 0 if it is not known
	dns         []string
}

// ethernet finds the entry of an interface in a network configuration (version 2): by its
// hardware address, or else by its place.
func ethernet(config section, place int, mac string) wire {
	all := config.in("ethernets")
	if all.node == nil {
		all = config.in("network", "ethernets")
	}
	names := all.keys()
	i := slices.IndexFunc(names, func(name string) bool { return sameMAC(all.in(name, "match", "macaddress").text(), mac) })
	if i < 0 && mac == "" && place < len(names) {
		i = place
	}
	w := wire{length: -1}
	if i < 0 {
		return w
	}
	entry := all.in(names[i])
	for _, address := range entry.in("addresses").texts() {
		if prefix, err := netip.ParsePrefix(address); err == nil {
			w.ip, w.length = prefix.Addr().String(), int64(prefix.Bits())
			break
		}
	}
	w.gateway = orElse(entry.in("gateway4").text(), entry.in("gateway6").text())
	for _, route := range entry.in("routes").list() {
		if to := route.in("to").text(); to == "default" || to == "0.0.0.0/0" || to == "::/0" || to == "0::/0" {
			w.gateway = route.in("via").text()
		}
	}
	w.dns = entry.in("nameservers", "addresses").texts()
	return w
}

// places are the hypervisors of a state. It does not say where they are: only by how many
// configurations of the provider its machines were made.
type places map[string]reference

func newPlaces(domains []Resource) places {
	var providers []string
	for _, r := range domains {
		if !slices.Contains(providers, r.Provider) {
			providers = append(providers, r.Provider)
		}
	}
	all := places{}
	for _, provider := range providers {
		key := "libvirtUri"
		if len(providers) > 1 {
			key = camel("libvirt uri " + alias(provider))
			for n := 2; slices.ContainsFunc(providers, func(p string) bool { return all[p] == reference(key) }); n++ {
				key = camel(fmt.Sprintf("libvirt uri %s %d", alias(provider), n))
			}
		}
		all[provider] = reference(key)
	}
	return all
}

// alias is that of a provider's configuration, like host1 of provider["..."].host1, with
// the name of its state, if there are several.
func alias(provider string) string {
	state, of, several := strings.Cut(provider, ": ")
	if !several {
		state, of = "", provider
	}
	if i := strings.LastIndexByte(of, ']'); i >= 0 {
		of = of[i+1:]
	}
	if whole, err := filepath.Abs(state); err == nil && several {
		state = whole
	}
	name := strings.TrimSuffix(filepath.Base(state), filepath.Ext(state))
	if name == "terraform" { // as all of them are named
		name = filepath.Base(filepath.Dir(state))
	}
	return name + " " + strings.TrimPrefix(of, ".")
}

// uri has the hypervisor of a machine be asked for.
func (p *program) uri(m *Machine) {
	if m.uri == "" {
		return
	}
	from := "not in the state, which has no settings of providers"
	if m.shown {
		from += ". As terraform show -json prints it, it does not say either whether there are several hypervisors: if there are, use `terraform state pull`"
	}
	p.secrets.add(Secret{Key: string(m.uri), What: "hypervisor, like qemu+ssh://root@host/system", From: from, Plain: true, Shared: true, Example: "qemu+ssh://root@host/system"})
}

// sameHost says whether both were made on the same hypervisor, as far as the state tells.
func sameHost(a, b Resource) bool { return a.Provider == b.Provider }

// bridged names the network of libvirt that is a bridge of the host: the state of a machine has only the bridge.
func (s *inventory) bridged(b *block, bridge string, of Resource) {
	network, has := s.find("libvirt_network", func(r Resource) bool { return r.Values.text("bridge") == bridge && sameHost(r, of) })
	if !has {
		b.ask("networkName", asked{
			words: "network name " + bridge, what: "network of libvirt that is the bridge " + line(bridge) + " of the host", example: "default",
			why: "the network of libvirt that is the bridge " + line(bridge) + " of the host, as `virsh net-dumpxml NAME` tells of it. It is not in the state",
		})
		return
	}
	b.set("networkName", network.Values.text("name"))
	s.use(network)
}

// leased completes what libvirt's DHCP gave, from the network.
func (s *inventory) leased(e *wire, nic values, of Resource) {
	for _, address := range nic.texts("addresses") {
		if isIP(address) {
			e.ip = address
			break
		}
	}
	for _, network := range s.networks {
		if !sameHost(network, of) || network.Values.text("id") != nic.text("network_id") && network.Values.text("name") != nic.text("network_name") {
			continue
		}
		for _, text := range network.Values.texts("addresses") {
			prefix, err := netip.ParsePrefix(text)
			ip, ipErr := netip.ParseAddr(e.ip)
			if err == nil && ipErr == nil && prefix.Contains(ip) {
				host := prefix.Masked().Addr().Next().String() // where libvirt itself is, and its DNS server
				e.length, e.gateway, e.dns = int64(prefix.Bits()), host, []string{host}
			}
		}
	}
}
