package zone

import (
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// loops returns what is wrong with CNAMEs that lead back to themselves.
func loops(records []record) check.List {
	var l check.List
	next := map[string]string{}
	for _, r := range records {
		if c, is := r.rr.(*dns.CNAME); is {
			next[c.Hdr.Name] = dns.CanonicalName(c.Target)
		}
	}
	for _, r := range records {
		c, is := r.rr.(*dns.CNAME)
		if !is {
			continue
		}
		way := []string{c.Hdr.Name}
		for at, more := next[c.Hdr.Name]; more && !slices.Contains(way[1:], at); at, more = next[at] {
			way = append(way, at)
			if at == c.Hdr.Name {
				break
			}
		}
		if len(way) > 1 && way[len(way)-1] == c.Hdr.Name {
			l.Add(r.path, "must lead to a name with records of its own, and leads back to itself: %s", strings.Join(way, " -> ")).Needing("domain", "records")
		}
	}
	return l
}

// dangling returns what is wrong with names that records lead to and the zone does not have.
func dangling(records []record, origin string) check.List {
	var l check.List
	names, elsewhere := []string{origin}, []string{}
	for _, r := range records {
		h := r.rr.Header()
		names = append(names, h.Name)
		if h.Rrtype == dns.TypeNS && h.Name != origin || h.Rrtype == dns.TypeDNAME {
			elsewhere = append(elsewhere, h.Name)
		}
	}
	slices.Sort(names)
	has := func(name string) bool { _, found := slices.BinarySearch(names, name); return found }
	for _, r := range records {
		name := machine(r.rr)
		if c, is := r.rr.(*dns.CNAME); is {
			name = dns.CanonicalName(c.Target)
		}
		apex := r.rr.Header().Rrtype == dns.TypeNS && r.rr.Header().Name == origin // addressless looks at those
		switch {
		case name == "" || name == "." || apex || has(name) || !dns.IsSubDomain(origin, name):
		case slices.ContainsFunc(elsewhere, func(zone string) bool { return dns.IsSubDomain(zone, name) }):
		case covered(name, origin, has):
		default:
			l.Add(r.path, "must lead to a name that has records: the zone has none of %s", name).Needing("domain", "records", "nameservers")
		}
	}
	return l
}

// covered reports whether a wildcard stands for a name.
func covered(name, origin string, has func(name string) bool) bool {
	for name != origin {
		i, end := dns.NextLabel(name, 0)
		if end {
			return false
		}
		name = name[i:]
		if has("*." + name) {
			return true
		}
	}
	return false
}
