package zone

import (
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// together returns what is wrong with records beside each other.
func together(records []record, origin string) check.List {
	var l check.List
	add := func(r record, format string, args ...any) {
		l.Add(r.path, format, args...).Needing("domain", "ttl", "nameservers", "records")
	}
	types := map[string][]uint16{origin: {dns.TypeSOA}}
	for _, r := range records {
		h := r.rr.Header()
		if !slices.Contains(types[h.Name], h.Rrtype) {
			types[h.Name] = append(types[h.Name], h.Rrtype)
		}
	}
	seen, firsts := map[string]bool{}, map[string]dns.RR{}
	for _, r := range records {
		h := *r.rr.Header()
		set := h.Name + " " + dns.Type(h.Rrtype).String()
		first, has := firsts[set]
		if !has {
			first, firsts[set] = r.rr, r.rr
		}
		if ttl := first.Header().Ttl; ttl != h.Ttl {
			add(r, "must have the TTL of the other %s records of %s, %d, not %d", dns.Type(h.Rrtype), h.Name, ttl, h.Ttl)
		}
		content := strings.TrimPrefix(r.rr.String(), h.String())
		if seen[set+content] {
			add(r, "is there twice: %s", check.Quote(set+" "+content))
			continue
		}
		seen[set+content] = true
		if h.Rrtype == dns.TypeCNAME {
			if others := beside(types[h.Name]); len(others) > 0 {
				add(r, "must be the only record of %s, which has %s too", h.Name, strings.Join(others, ", "))
			} else if has {
				add(r, "must be the only record of %s, which has another CNAME", h.Name)
			}
		}
		if target := machine(r.rr); slices.Contains(types[target], dns.TypeCNAME) {
			add(r, "must be a name with addresses of its own, not the CNAME %s", target)
		}
	}
	return l
}

// beside are the types that a CNAME cannot stand beside. Signatures can.
func beside(types []uint16) (names []string) {
	for _, kind := range types {
		if kind != dns.TypeCNAME && kind != dns.TypeRRSIG && kind != dns.TypeNSEC {
			names = append(names, dns.Type(kind).String())
		}
	}
	return names
}

// machine is the name in a record that must have addresses itself: RFC 2181,
// section 10.3.
func machine(rr dns.RR) string {
	switch r := rr.(type) {
	case *dns.NS:
		return dns.CanonicalName(r.Ns)
	case *dns.MX:
		return dns.CanonicalName(r.Mx)
	case *dns.SRV:
		return dns.CanonicalName(r.Target)
	}
	return ""
}

// addressless returns what is wrong with name servers of the zone that are in
// it: nobody finds one that has no address there.
func addressless(records []record, origin string) check.List {
	var l check.List
	addresses, delegated := map[string]bool{}, []string{}
	for _, r := range records {
		switch h := r.rr.Header(); {
		case h.Rrtype == dns.TypeA || h.Rrtype == dns.TypeAAAA:
			addresses[h.Name] = true
		case h.Rrtype == dns.TypeNS && h.Name != origin:
			delegated = append(delegated, h.Name)
		}
	}
	for _, r := range records {
		ns, is := r.rr.(*dns.NS)
		if !is || ns.Hdr.Name != origin {
			continue
		}
		name := dns.CanonicalName(ns.Ns)
		elsewhere := slices.ContainsFunc(delegated, func(zone string) bool { return dns.IsSubDomain(zone, name) })
		if dns.IsSubDomain(origin, name) && !addresses[name] && !elsewhere {
			l.Add(r.path, "must have an address: %s has neither A nor AAAA records in the zone", name).Needing("domain", "records")
		}
	}
	return l
}
