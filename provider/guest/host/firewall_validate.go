package host

import (
	"maps"
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
			l.Add(path, "is not known here: services are %s", check.Or(known))
		}
		l.Under("", networks(path, f.AllowedNetworks[service]))
	}
	for i, p := range f.AdditionalPorts {
		path := check.Index("additionalPorts", i)
		l.Check(check.Join(path, "port"), check.Port(p.Port))
		l.Under("", networks(check.Join(path, "networks"), p.Networks))
		if p.Networks != nil && len(p.Networks) == 0 {
			l.Add(check.Join(path, "networks"), "must not be empty: leave it out for every address").Shape()
		}
		for _, d := range doors {
			if first := p.openings(); len(first) > 0 && first[0].Port == d.Port && first[0].Protocol == d.Protocol {
				l.Add(check.Join(path, "port"), "must not be %d, which firewall.allowedNetworks.%s is for", d.Port, d.Service)
			}
		}
	}
	return l
}

func networks(path string, given []string) check.List {
	var l check.List
	for i, network := range given {
		l.Check(check.Index(path, i), check.NetworkOrIP(network))
	}
	l.Distinct(check.Each(path, len(given), ""), given)
	return l
}

// Admits reports whether an address reaches a service, as far as f says.
func (f *Firewall) Admits(service, ip string) bool {
	if f == nil || f.off() {
		return true
	}
	given, has := f.AllowedNetworks[service]
	return !has || check.Covers(given, ip)
}

// Warnings are of networks that are all addresses, and of services that the host that runs
// Pulumi does not reach: from is the address that it connects from.
func (f *Firewall) Warnings(doors []Door, from string) check.List {
	var l check.List
	if f == nil || f.off() {
		return nil
	}
	for _, service := range slices.Sorted(maps.Keys(f.AllowedNetworks)) {
		path := check.Join("allowedNetworks", service)
		l = append(l, check.EveryAddress(path, f.AllowedNetworks[service])...)
		asked := slices.ContainsFunc(doors, func(d Door) bool { return d.Service == service && d.Asked })
		switch {
		case f.Admits(service, from):
		case service == ssh:
			l.Add(path, "does not include %s, the address from which Pulumi runs, unless NAT changes it: nobody can log in from here", from)
		case asked:
			l.Add(path, "does not include %s, the address from which Pulumi runs, unless NAT changes it: updates cannot see whether the machine is healthy, and fail", from)
		}
	}
	return l
}
