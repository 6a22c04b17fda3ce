package zone

import (
	"cmp"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// ZoneArgs are the inputs of a DnsZone.
type ZoneArgs struct {
	Etcd        host.EtcdConnection `pulumi:"etcd"`
	KeyPrefix   *string             `pulumi:"keyPrefix,optional" provider:"replaceOnChanges"`
	Domain      string              `pulumi:"domain" provider:"replaceOnChanges"`
	ZoneFile    *string             `pulumi:"zoneFile,optional"`
	Nameservers []string            `pulumi:"nameservers,optional"`
	Hostmaster  *string             `pulumi:"hostmaster,optional"`
	TTL         *int                `pulumi:"ttl,optional"`
	SOA         *SOA                `pulumi:"soa,optional"`
	Records     *Records            `pulumi:"records,optional"`
}

// SOA are the times in the SOA record of a zone, in seconds.
type SOA struct {
	Refresh *int `pulumi:"refresh,optional"`
	Retry   *int `pulumi:"retry,optional"`
	Expire  *int `pulumi:"expire,optional"`
	Minimum *int `pulumi:"minimum,optional"`
}

// Defaults follow RIPE-203 but for the times for which others remember: a
// platform's addresses change more often than those of the Internet.
const (
	DefaultKeyPrefix = "/zones/"
	defaultTTL       = 300
	defaultRefresh   = 86400
	defaultRetry     = 7200
	defaultExpire    = 3600000
	defaultMinimum   = 60
)

// Validate returns what is wrong with a.
func (a ZoneArgs) Validate() []check.Problem {
	var l check.List
	l.Under("etcd", a.Etcd.Validate(time.Now()))
	if prefix := *a.KeyPrefix; check.KeyPrefix(prefix) != "" || !strings.HasSuffix(prefix, "/") {
		l.Add("keyPrefix", "must begin and end with a slash, as in %s, and have no white space and no empty parts, not %s", DefaultKeyPrefix, check.Quote(prefix))
	}
	_, problems := a.content()
	return append(l, problems...)
}

// key is where the zone is in etcd.
func (a ZoneArgs) key() string { return *a.KeyPrefix + a.Domain }

// content is a zone but for its serial.
type content struct {
	soa     *dns.SOA
	records []dns.RR
}

// text is the zone with a serial.
func (c content) text(serial uint32) string { return render(*c.soa, c.records, serial) }

// content is what the zone is to hold, and what is wrong with it.
func (a ZoneArgs) content() (content, check.List) {
	b := builder{origin: a.Domain + ".", ttl: orDefault(a.TTL, defaultTTL)}
	if reason := check.Origin(a.Domain); reason != "" {
		b.problems.Add("domain", "%s", reason)
		return content{}, b.problems // all other names depend on it
	}
	b.problems.ExactlyOne("", "nameservers", a.Nameservers != nil, "zoneFile", a.ZoneFile != nil)
	var soa *dns.SOA
	if a.ZoneFile != nil {
		b.alone(a)
		soa = b.file(*a.ZoneFile)
		b.fileTimes(soa)
	} else {
		soa = b.typed(a)
		b.problems = append(b.problems, addressless(b.records, b.origin)...)
	}
	b.problems = append(b.problems, together(b.records, b.origin)...)
	b.problems = append(b.problems, loops(b.records)...)
	if len(b.problems) == 0 { // else a name may be missing for that
		b.problems = append(b.problems, dangling(b.records, b.origin)...)
	}
	c := content{soa: soa}
	for _, r := range b.records {
		c.records = append(c.records, r.rr)
	}
	if len(b.problems) == 0 {
		text := c.text(0)
		if len(text) > mostText {
			b.problems.Add("", "the zone must be smaller than %d MiB: etcd accepts requests of at most 1.5 MiB (--max-request-bytes)", mostText>>20)
		} else if admin.Fits(ptr.Value(a.KeyPrefix)+a.Domain, text) != "" {
			b.problems.Add("keyPrefix", "must be shorter: etcd accepts requests of at most 1.5 MiB (--max-request-bytes), including the key and the zone in them")
		}
	}
	return c, b.problems
}

// alone refuses what a zone file says itself.
func (b *builder) alone(a ZoneArgs) {
	for _, other := range []struct {
		name  string
		given bool
	}{{"hostmaster", a.Hostmaster != nil}, {"ttl", a.TTL != nil}, {"soa", a.SOA != nil}, {"records", a.Records != nil}} {
		if other.given {
			b.problems.Add(other.name, "must not be given together with zoneFile").Shape().Needing("zoneFile")
		}
	}
}

// typed adds the records that are given by their types.
func (b *builder) typed(a ZoneArgs) *dns.SOA {
	b.problems.Check("ttl", check.Range(b.ttl, 0, mostTTL))
	header := dns.RR_Header{Name: b.origin, Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: uint32(b.ttl)}
	soa := &dns.SOA{Hdr: header, Mbox: b.mailbox(cmp.Or(ptr.Value(a.Hostmaster), "hostmaster@"+a.Domain))}
	if a.Nameservers != nil {
		b.problems.Required("nameservers", a.Nameservers)
	}
	for i, name := range a.Nameservers {
		e := b.entry(check.Index("nameservers", i), "@", nil, dns.TypeNS)
		ns := &dns.NS{Hdr: e.header, Ns: e.target("", name, false)}
		e.put("", ns)
		if soa.Ns == "" || ns.Ns < soa.Ns { // whatever their order
			soa.Ns = ns.Ns
		}
	}
	given := cmp.Or(a.SOA, &SOA{})
	for _, time := range []struct {
		given  *int
		value  int
		target *uint32
	}{
		{given.Refresh, defaultRefresh, &soa.Refresh},
		{given.Retry, defaultRetry, &soa.Retry},
		{given.Expire, defaultExpire, &soa.Expire},
		{given.Minimum, defaultMinimum, &soa.Minttl},
	} {
		*time.target = uint32(orDefault(time.given, time.value))
	}
	for i, given := range []*int{given.Refresh, given.Retry, given.Expire, given.Minimum} {
		if t := timesOf(soa)[i]; given != nil {
			b.problems.Check("soa."+t.name, check.Range(*given, t.least, mostTTL))
		}
	}
	b.add(*cmp.Or(a.Records, &Records{}))
	return soa
}

// mailbox is an address of mail as an SOA record has it.
func (b *builder) mailbox(address string) string {
	local, domain, _ := strings.Cut(address, "@")
	if !check.Matches(`[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*`, local) || len(local) > 63 || check.DomainName(domain) != "" {
		b.problems.Add("hostmaster", "must be an email address, as in hostmaster@example.org, not %s", check.Quote(address))
	}
	return dns.CanonicalName(strings.ReplaceAll(local, ".", `\.`) + "." + domain)
}

func orDefault(given *int, otherwise int) int {
	if given != nil {
		return *given
	}
	return otherwise
}

// same reports whether two zones differ in no more than their serials.
func (c content) same(other content) bool {
	return other.soa != nil && c.text(0) == other.text(0)
}

// kept reads a zone that is in etcd, as far as it can be read.
func kept(text, domain string) content {
	b := builder{origin: domain + "."}
	soa := b.file(text)
	if len(b.problems) > 0 {
		return content{}
	}
	c := content{soa: soa}
	for _, r := range b.records {
		c.records = append(c.records, r.rr)
	}
	return c
}
