package zone

import (
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// record is a record of a zone, and the input that it comes from.
type record struct {
	path string
	rr   dns.RR
}

// builder makes records of inputs.
type builder struct {
	origin   string // of the zone, with the final dot
	ttl      int    // of records that name none
	records  []record
	problems check.List
}

// entry is one input of records. Nothing is made of one that has a problem.
type entry struct {
	*builder
	path   string
	header dns.RR_Header
	before int // problems of those before it
}

func (b *builder) entry(path, name string, ttl *int, kind uint16) entry {
	e := entry{b, path, dns.RR_Header{Name: b.absolute(name), Rrtype: kind, Class: dns.ClassINET}, len(b.problems)}
	b.problems.Check(path+".name", b.owner(name))
	seconds := b.ttl
	if ttl != nil {
		seconds = *ttl
		b.problems.Check(path+".ttl", check.Range(seconds, 0, mostTTL))
	}
	e.header.Ttl = uint32(seconds)
	return e
}

// put adds a record, if it can be written and read again.
func (e entry) put(at string, rr dns.RR) {
	if len(e.problems) > e.before {
		return
	}
	path := check.Join(e.path, at)
	switch {
	case (&dns.Msg{Answer: []dns.RR{rr}}).Len() > dns.MaxMsgSize:
		e.problems.Add(path, "must fit into an answer of %d bytes", dns.MaxMsgSize)
	case !readable(rr):
		e.problems.Add(path, "cannot be written as a record")
	default:
		e.records = append(e.records, record{path, rr})
	}
}

func (e entry) uint16(field string, n int) uint16 {
	e.problems.Check(check.Join(e.path, field), check.Range(n, 0, 65535))
	return uint16(n)
}

// target is the full name of another machine; "." is none, where that can be meant.
func (e entry) target(field, name string, none bool) string {
	if none && name == "." {
		return name
	}
	e.problems.Check(check.Join(e.path, field), e.other(name))
	return e.absolute(name)
}

// absolute is the full name that a name stands for, as in a zone file.
func (b *builder) absolute(name string) string {
	switch {
	case name == "@":
		return b.origin
	case strings.HasSuffix(name, "."):
		return dns.CanonicalName(name)
	}
	return dns.CanonicalName(name + "." + b.origin)
}

// owner requires a name in the zone, perhaps one for all that have no other record.
func (b *builder) owner(name string) string {
	bare := name
	if name == "*" || strings.HasPrefix(name, "*.") {
		bare = strings.TrimPrefix(name[1:], ".")
	}
	if bare != "" || name == "" {
		if reason := b.name(bare); reason != "" {
			return strings.Replace(reason, check.Quote(bare), check.Quote(name), 1)
		}
	}
	if !dns.IsSubDomain(b.origin, b.absolute(name)) {
		return "must be in " + b.origin + " (relative to it, or with a trailing dot), not " + check.Quote(name)
	}
	return ""
}

// other requires a name in any zone.
func (b *builder) other(name string) string {
	if _, err := netip.ParseAddr(strings.TrimSuffix(name, ".")); err == nil {
		return "must be a name, not the address " + check.Quote(name)
	}
	return b.name(name)
}

// name requires a name as zone files have it: one without a trailing dot is relative.
func (b *builder) name(name string) string {
	switch {
	case name == "@":
		return ""
	case check.DomainName(name) != "":
		return "must be @ or a domain name, not " + check.Quote(name)
	case len(b.absolute(name)) > mostName:
		return "must be shorter: with the domain it is longer than a name can be"
	case !strings.HasSuffix(name, ".") && dns.IsSubDomain(b.origin, dns.CanonicalName(name)):
		return "must end with a dot if it is a full name, or be without the domain, not " + check.Quote(name)
	}
	return ""
}
