package host

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Validate returns what is wrong with f on a machine, or machines, with these doors.
func (f *Firewall) Validate(doors []Door) check.List {
	var l check.List
	if f == nil {
		return nil
	}
	for _, service := range slices.Sorted(maps.Keys(f.AllowedNetworks)) {
		path := check.Join("allowedNetworks", service)
		if known := services(doors); !slices.Contains(known, service) {
			l.Add(path, "is not a service of this machine, which has %s", check.Or(known))
		}
		l.Under("", networks(path, f.AllowedNetworks[service]))
	}
	for i, p := range f.AdditionalPorts {
		path := check.Index("additionalPorts", i)
		l.Check(check.Join(path, "port"), check.Port(p.Port))
		l.Under("", networks(check.Join(path, "networks"), p.Networks))
		if p.Networks != nil && len(p.Networks) == 0 {
			l.Add(check.Join(path, "networks"), "must not be empty: without it the port is open to all").Shape()
		}
		for _, d := range doors {
			if first := p.openings(); len(first) > 0 && first[0].Port == d.Port && first[0].Protocol == d.Protocol {
				l.Add(check.Join(path, "port"), "must be another one: %d is of allowedNetworks.%s", d.Port, d.Service)
			}
		}
	}
	return l
}

func networks(path string, given []string) check.List {
	var l check.List
	for i, network := range given {
		l.Check(check.Index(path, i), check.Network(network))
	}
	l.Distinct(check.Each(path, len(given), ""), given)
	return l
}

// Admits reports whether an address reaches a service, as far as f says.
func (f *Firewall) Admits(service, ip string) bool {
	if f == nil {
		return true
	}
	given, has := f.AllowedNetworks[service]
	address, err := netip.ParseAddr(ip)
	return !has || err != nil || slices.ContainsFunc(given, func(network string) bool {
		prefix, err := netip.ParsePrefix(network)
		return err != nil || prefix.Contains(address)
	})
}

// Warnings are of doors that are open to all though networks are given, and of those that shut
// out where Pulumi runs, which reaches the machine from an address.
func (f *Firewall) Warnings(doors []Door, from string) check.List {
	var l check.List
	if f == nil {
		return nil
	}
	for _, service := range slices.Sorted(maps.Keys(f.AllowedNetworks)) {
		path := check.Join("allowedNetworks", service)
		for i, network := range f.AllowedNetworks[service] {
			if prefix, err := netip.ParsePrefix(network); err == nil && prefix.Bits() == 0 {
				l.Add(check.Index(path, i), "is every address: the same as without it")
			}
		}
		asked := slices.ContainsFunc(doors, func(d Door) bool { return d.Service == service && d.Asked })
		switch {
		case f.Admits(service, from):
		case service == ssh:
			l.Add(path, "has not %s, the address of this host: unless the network translates that, nobody can log in from here", from)
		case asked:
			l.Add(path, "has not %s, the address of this host: unless the network translates that, updates cannot see whether the machine is healthy, and fail", from)
		}
	}
	return l
}
