package coredns

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// Validate returns what is wrong with c at now, in the order of a
// CorednsServer's inputs.
func (c Config) Validate(now time.Time) check.List {
	var l check.List
	l.Under("etcd", c.Etcd.Validate(now))
	l.Under("", c.Etcd.Elsewhere("etcd", c.IPs))
	l.Check("keyPrefix", check.KeyPrefix(c.KeyPrefix))
	l.Under("dns", c.dns())
	return l
}

func (c Config) dns() check.List {
	var l check.List
	d := c.DNS
	if !check.Matches(`v?1\.[0-9]+\.[0-9]+`, *d.Version) {
		l.Add("version", "must be a release of CoreDNS, like %s, not %s", defaultVersion, check.Quote(*d.Version))
	}
	l.Check("zonefilesReloadInterval", interval(*d.ZonefilesReloadInterval))
	l.Under("", c.servers("alternateDnsServers", d.AlternateDNSServers))
	names := make([]string, len(d.Forwards))
	for i, f := range d.Forwards {
		path := check.Index("forwards", i)
		names[i] = strings.ToLower(strings.TrimSuffix(f.DomainName, "."))
		l.Check(path+".domainName", check.Domain(f.DomainName))
		l.Required(path+".dnsServers", f.DNSServers)
		l.Under("", c.servers(path+".dnsServers", f.DNSServers))
	}
	l.Distinct(check.Each("forwards", len(names), "domainName"), names)
	if d.Cache != nil {
		l.Under("cache", d.Cache.validate())
	}
	return l
}

// servers requires those that CoreDNS can ask, itself not among them: it would
// ask itself for ever.
func (c Config) servers(path string, servers []string) check.List {
	var l check.List
	if len(servers) > maxServers {
		l.Add(path, "must be at most %d, not %d", maxServers, len(servers))
	}
	paths, same := make([]string, len(servers)), make([]string, len(servers))
	for i, server := range servers {
		paths[i], same[i] = check.Index(path, i), endpoint(server)
		if check.IP(server) != "" && check.Endpoint(server) != "" {
			l.Add(paths[i], "must be an IP address, or an address and a port as in 10.0.0.1:53, not %s", check.Quote(server))
			continue
		}
		if slices.ContainsFunc(c.IPs, func(ip string) bool { return endpoint(ip) == endpoint(server) }) {
			l.Add(paths[i], "must be another server, not %s, which is this one", check.Quote(server)).
				Needing("ips")
		}
	}
	l.Distinct(paths, same)
	return l
}

// endpoint is the one way to write a server's address and port.
func endpoint(server string) string {
	if a, err := netip.ParseAddr(server); err == nil {
		return ports.At(a.Unmap().String(), ports.DNS)
	}
	if a, err := netip.ParseAddrPort(server); err == nil {
		return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()).String()
	}
	return server
}

// interval requires what CoreDNS can look for changes at.
func interval(s string) string {
	if d, err := time.ParseDuration(s); err != nil || d < time.Second || d > 24*time.Hour {
		return `must be a duration from 1s to 24h, such as "3s" or "1m", not ` + check.Quote(s)
	}
	return ""
}

// soon is how often CoreDNS must look for changes at least, for zones to be served before who
// waits for that gives up.
const soon = 2 * time.Minute

// Warnings are of what is allowed, and seldom meant.
func (d *DNS) Warnings() check.List {
	var l check.List
	if d == nil {
		return l
	}
	l.Under("", onItself("alternateDnsServers", d.AlternateDNSServers))
	for i, f := range d.Forwards {
		l.Under("", onItself(check.Index("forwards", i)+".dnsServers", f.DNSServers))
	}
	if d.ZonefilesReloadInterval == nil {
		return l
	}
	if every, err := time.ParseDuration(*d.ZonefilesReloadInterval); err == nil && every > soon {
		l.Add("zonefilesReloadInterval", "changed zones are served up to %s late; DnsHealth waits five minutes for them", every)
	}
	return l
}

// onItself warns of servers on the machine itself, of which CoreDNS is none: it answers at the
// addresses of the machine alone.
func onItself(path string, servers []string) check.List {
	var l check.List
	for i, server := range servers {
		if a, err := netip.ParseAddrPort(server); err == nil {
			server = a.Addr().String()
		}
		l.Under("", host.OnItself(check.Index(path, i), server, "a name server"))
	}
	return l
}

// ttls are those for which caches may keep answers: RFC 8767, section 4.
var ttls = check.Bounds{Least: 1, Most: 7 * 86400, MostIs: "a week", In: check.Second, Slips: []check.Unit{check.Millisecond}}

func (c Cache) validate() check.List {
	var l check.List
	for i, domain := range c.Domains {
		l.Check(check.Index("domains", i), check.Domain(domain))
	}
	l.Check("maxTtl", ttls.Check(*c.MaxTTL))
	if c.Prefetch != nil {
		l.Check("prefetch.amount", check.Positive(c.Prefetch.Amount))
		l.Check("prefetch.duration", check.Duration(*c.Prefetch.Duration))
	}
	return l
}
