package zone

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Records are the records of a zone by their type.
type Records struct {
	A     []AddressRecord `pulumi:"a,optional"`
	AAAA  []AddressRecord `pulumi:"aaaa,optional"`
	CNAME []TargetRecord  `pulumi:"cname,optional"`
	MX    []MXRecord      `pulumi:"mx,optional"`
	TXT   []TXTRecord     `pulumi:"txt,optional"`
	SRV   []SRVRecord     `pulumi:"srv,optional"`
	NS    []TargetRecord  `pulumi:"ns,optional"`
	PTR   []TargetRecord  `pulumi:"ptr,optional"`
	CAA   []CAARecord     `pulumi:"caa,optional"`
}

// AddressRecord are the addresses of a name.
type AddressRecord struct {
	Name      string   `pulumi:"name"`
	Addresses []string `pulumi:"addresses"`
	TTL       *int     `pulumi:"ttl,optional"`
}

// TargetRecord is a name that stands for another.
type TargetRecord struct {
	Name   string `pulumi:"name"`
	Target string `pulumi:"target"`
	TTL    *int   `pulumi:"ttl,optional"`
}

// MXRecord is a mail server.
type MXRecord struct {
	Name       string `pulumi:"name"`
	Preference int    `pulumi:"preference"`
	Exchange   string `pulumi:"exchange"`
	TTL        *int   `pulumi:"ttl,optional"`
}

// TXTRecord is a text.
type TXTRecord struct {
	Name string `pulumi:"name"`
	Text string `pulumi:"text"`
	TTL  *int   `pulumi:"ttl,optional"`
}

// SRVRecord is where a service is.
type SRVRecord struct {
	Name     string `pulumi:"name"`
	Priority int    `pulumi:"priority"`
	Weight   int    `pulumi:"weight"`
	Port     int    `pulumi:"port"`
	Target   string `pulumi:"target"`
	TTL      *int   `pulumi:"ttl,optional"`
}

// CAARecord says who may issue certificates.
type CAARecord struct {
	Name  string `pulumi:"name"`
	Flags int    `pulumi:"flags"`
	Tag   string `pulumi:"tag"`
	Value string `pulumi:"value"`
	TTL   *int   `pulumi:"ttl,optional"`
}

// add adds the records, by type and in order.
func (b *builder) add(r Records) {
	for i, a := range r.A {
		b.addresses(check.Index("records.a", i), a, dns.TypeA)
	}
	for i, a := range r.AAAA {
		b.addresses(check.Index("records.aaaa", i), a, dns.TypeAAAA)
	}
	for i, c := range r.CNAME {
		e := b.entry(check.Index("records.cname", i), c.Name, c.TTL, dns.TypeCNAME)
		e.put("", &dns.CNAME{Hdr: e.header, Target: e.target("target", c.Target, false)})
	}
	for i, m := range r.MX {
		e := b.entry(check.Index("records.mx", i), m.Name, m.TTL, dns.TypeMX)
		e.put("", &dns.MX{Hdr: e.header, Preference: e.uint16("preference", m.Preference), Mx: e.target("exchange", m.Exchange, true)})
	}
	for i, t := range r.TXT {
		e := b.entry(check.Index("records.txt", i), t.Name, t.TTL, dns.TypeTXT)
		e.put("", &dns.TXT{Hdr: e.header, Txt: chunks(t.Text)})
	}
	for i, s := range r.SRV {
		e := b.entry(check.Index("records.srv", i), s.Name, s.TTL, dns.TypeSRV)
		e.put("", &dns.SRV{
			Hdr: e.header, Priority: e.uint16("priority", s.Priority), Weight: e.uint16("weight", s.Weight),
			Port: e.uint16("port", s.Port), Target: e.target("target", s.Target, true),
		})
	}
	for i, n := range r.NS {
		e := b.entry(check.Index("records.ns", i), n.Name, n.TTL, dns.TypeNS)
		e.put("", &dns.NS{Hdr: e.header, Ns: e.target("target", n.Target, false)})
	}
	for i, p := range r.PTR {
		e := b.entry(check.Index("records.ptr", i), p.Name, p.TTL, dns.TypePTR)
		e.put("", &dns.PTR{Hdr: e.header, Ptr: e.target("target", p.Target, false)})
	}
	for i, c := range r.CAA {
		e := b.entry(check.Index("records.caa", i), c.Name, c.TTL, dns.TypeCAA)
		b.problems.Check(e.path+".flags", check.Range(c.Flags, 0, 255))
		if !check.Matches(`[A-Za-z0-9]+`, c.Tag) {
			b.problems.Add(e.path+".tag", "must consist of letters and digits, as in issue, not %s", check.Quote(c.Tag))
		}
		e.put("", &dns.CAA{Hdr: e.header, Flag: uint8(c.Flags), Tag: strings.ToLower(c.Tag), Value: escape(c.Value)})
	}
}

func (b *builder) addresses(path string, r AddressRecord, kind uint16) {
	e := b.entry(path, r.Name, r.TTL, kind)
	b.problems.Required(path+".addresses", r.Addresses)
	for i, text := range r.Addresses {
		at := check.Index("addresses", i)
		ip, err := netip.ParseAddr(text)
		switch {
		case kind == dns.TypeA && (err != nil || !ip.Is4()):
			b.problems.Add(check.Join(path, at), "must be an IPv4 address, not %s", check.Quote(text))
		case kind == dns.TypeAAAA && (err != nil || ip.Is4() || ip.Is4In6() || ip.Zone() != ""):
			b.problems.Add(check.Join(path, at), "must be an IPv6 address, not %s", check.Quote(text))
		case kind == dns.TypeA:
			e.put(at, &dns.A{Hdr: e.header, A: ip.AsSlice()})
		default:
			e.put(at, &dns.AAAA{Hdr: e.header, AAAA: ip.AsSlice()})
		}
	}
}

// chunks cut a text into what one string of a TXT record can hold.
func chunks(text string) (all []string) {
	const most = 255
	for len(text) > most {
		all, text = append(all, escape(text[:most])), text[most:]
	}
	return append(all, escape(text))
}

// escape writes bytes as they are written in a zone file between quotes.
func escape(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == '\\' || c == '"':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
