package zone

import (
	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

const (
	week = 7 * 86400 // for which resolvers keep a record at most: RFC 8767, section 4
	day  = 86400     // for which they should remember that a name does not exist: RFC 2308, section 5
)

// soaTime is one of the times in an SOA record.
type soaTime struct {
	name    string
	least   int
	seconds uint32
}

// timesOf are those of a record. Only that for which others remember that a name does not
// exist may be 0: the others would have a secondary server ask all the time, or never serve.
func timesOf(soa *dns.SOA) []soaTime {
	return []soaTime{{"refresh", 1, soa.Refresh}, {"retry", 1, soa.Retry}, {"expire", 1, soa.Expire}, {"minimum", 0, soa.Minttl}}
}

// fileTimes judges the times in the SOA record of a zone file.
func (b *builder) fileTimes(soa *dns.SOA) {
	if soa == nil {
		return
	}
	for _, t := range timesOf(soa) {
		if reason := check.Range(int(t.seconds), t.least, mostTTL); reason != "" {
			b.problems.Add("zoneFile", "%s of the SOA record %s", t.name, reason)
		}
	}
}

// Warnings are of what is allowed, and seldom meant.
func (a ZoneArgs) Warnings() []check.Problem {
	c, problems := a.content()
	if len(problems) > 0 || c.soa == nil {
		return nil
	}
	var l check.List
	warn := func(name, format string, args ...any) {
		path, format := "soa."+name, format
		if a.ZoneFile != nil {
			path, format = "zoneFile", name+" of the SOA record: "+format
		}
		l.Add(path, format, args...).Needing("domain", "zoneFile", "soa")
	}
	if s := c.soa; s.Retry >= s.Refresh {
		warn("retry", "a secondary server that could not refresh the zone tries again after %d seconds, and looks every %d anyway: choose less than refresh", s.Retry, s.Refresh)
	}
	if s := c.soa; uint64(s.Expire) < uint64(s.Refresh)+uint64(s.Retry) {
		warn("expire", "a secondary server stops serving the zone after %d seconds, before it has tried twice to refresh it: choose at least refresh and retry together, %d", s.Expire, uint64(s.Refresh)+uint64(s.Retry))
	}
	if s := c.soa; s.Minttl > day {
		warn("minimum", "for %d seconds resolvers remember that a name does not exist, also when it has been added: at most a day, %d, is usual", s.Minttl, day)
	}
	a.warnOfTTLs(&l, c)
	a.warnOfAddresses(&l, c)
	return l
}

// warnOfTTLs warns once of each input with a TTL that no resolver keeps to.
func (a ZoneArgs) warnOfTTLs(l *check.List, c content) {
	const format = "resolvers keep no record for longer than a week, %d seconds, and this is %d"
	if a.ZoneFile != nil {
		for _, rr := range append([]dns.RR{c.soa}, c.records...) {
			if ttl := rr.Header().Ttl; ttl > week {
				l.Add("zoneFile", format+": %s", week, ttl, short(rr)).Needing("domain", "zoneFile")
				return
			}
		}
		return
	}
	if ttl := orDefault(a.TTL, defaultTTL); ttl > week {
		l.Add("ttl", format, week, ttl)
	}
	if a.Records == nil {
		return
	}
	for _, r := range a.Records.ttls() {
		if r.ttl != nil && *r.ttl > week {
			l.Add(r.path+".ttl", format, week, *r.ttl)
		}
	}
}

// recordTTL is the TTL that an input of records gives.
type recordTTL struct {
	path string
	ttl  *int
}

func (r Records) ttls() (all []recordTTL) {
	add := func(list string, i int, ttl *int) {
		all = append(all, recordTTL{check.Index("records."+list, i), ttl})
	}
	for _, list := range []struct {
		name    string
		records []AddressRecord
	}{{"a", r.A}, {"aaaa", r.AAAA}} {
		for i, record := range list.records {
			add(list.name, i, record.TTL)
		}
	}
	for _, list := range []struct {
		name    string
		records []TargetRecord
	}{{"cname", r.CNAME}, {"ns", r.NS}, {"ptr", r.PTR}} {
		for i, record := range list.records {
			add(list.name, i, record.TTL)
		}
	}
	for i, record := range r.MX {
		add("mx", i, record.TTL)
	}
	for i, record := range r.TXT {
		add("txt", i, record.TTL)
	}
	for i, record := range r.SRV {
		add("srv", i, record.TTL)
	}
	for i, record := range r.CAA {
		add("caa", i, record.TTL)
	}
	return all
}
