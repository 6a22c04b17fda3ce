package zone

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

const (
	mostTTL  = 1<<31 - 1 // RFC 2181, section 8
	mostName = 254       // with the final dot

	// mostText keeps a zone below what etcd takes in a request, 1.5 MiB, and
	// bounds what $GENERATE makes.
	mostText = 1 << 20
)

// parse reads a zone file as CoreDNS does, which has the same parser.
func parse(text, origin string) (rrs []dns.RR, err error) {
	p, size := dns.NewZoneParser(strings.NewReader(text), origin, ""), 0
	for rr, more := p.Next(); more; rr, more = p.Next() {
		if size += len(rr.String()); size > mostText {
			return nil, fmt.Errorf("it has more than %d MiB of records", mostText>>20)
		}
		rrs = append(rrs, rr)
	}
	return rrs, p.Err()
}

// file adds the records of a zone file.
func (b *builder) file(text string) (soa *dns.SOA) {
	const path = "zoneFile"
	before := len(b.problems)
	rrs, err := parse(text, b.origin)
	if err != nil {
		b.problems.Add(path, "must be a zone file: %s", strings.TrimPrefix(err.Error(), "dns: "))
		return nil
	}
	for _, rr := range rrs {
		h := rr.Header()
		h.Name = dns.CanonicalName(h.Name)
		switch found, is := rr.(*dns.SOA); {
		case !dns.IsSubDomain(b.origin, h.Name):
			b.problems.Add(path, "must have names in %s only, not %s", b.origin, short(rr)).Needing("domain")
		case h.Class != dns.ClassINET:
			b.problems.Add(path, "must have records of class IN only, not %s", short(rr))
		case h.Ttl > mostTTL:
			b.problems.Add(path, "must have TTLs from 0 to %d, not %d: %s", mostTTL, h.Ttl, short(rr))
		case h.Rrtype == dns.TypeNSEC3 || h.Rrtype == dns.TypeNSEC3PARAM:
			b.problems.Add(path, "must be without NSEC3, which CoreDNS does not serve: %s", short(rr))
		case !readable(rr):
			b.problems.Add(path, "has a record that cannot be written in full: %s", short(rr))
		case !is:
			b.records = append(b.records, record{path, rr})
		case soa != nil:
			b.problems.Add(path, "must have one SOA record, not several: %s", short(rr))
		case h.Name != b.origin:
			b.problems.Add(path, "must have the SOA record of %s, not that of %s", b.origin, h.Name).Needing("domain")
		default:
			soa = found
		}
	}
	if soa == nil && len(b.problems) == before {
		b.problems.Add(path, "must have the SOA record of %s", b.origin).Needing("domain")
	}
	return soa
}

// line is a record in a zone file: complete, so that no other line has a say in
// it. Nothing in it looks like a directive, for which servers refuse a zone.
func line(rr dns.RR) string {
	return strings.ReplaceAll(rr.String(), "$", `\036`) + "\n"
}

// render is the text of a zone: the same for the same records in any order.
func render(soa dns.SOA, records []dns.RR, serial uint32) string {
	soa.Serial = serial
	lines := make([]string, len(records))
	sorted := slices.SortedFunc(slices.Values(records), func(a, b dns.RR) int {
		return cmp.Or(slices.Compare(labels(a), labels(b)), int(a.Header().Rrtype)-int(b.Header().Rrtype), strings.Compare(a.String(), b.String()))
	})
	for i, rr := range sorted {
		lines[i] = line(rr)
	}
	return line(&soa) + strings.Join(lines, "")
}

// labels are those of a record's name, from the last to the first.
func labels(rr dns.RR) []string {
	all := dns.SplitDomainName(rr.Header().Name)
	slices.Reverse(all)
	return all
}

// readable reports whether a record is the same when it is read again.
func readable(rr dns.RR) bool {
	again, err := parse(line(rr), ".")
	return err == nil && len(again) == 1 && again[0].String() == rr.String()
}

// short is a record for messages.
func short(rr dns.RR) string {
	return check.Quote(strings.Join(strings.Fields(rr.String()), " "))
}
