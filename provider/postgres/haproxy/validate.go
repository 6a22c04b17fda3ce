package haproxy

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// loopbacks are reached by the machine itself only.
var loopbacks = []string{"127.0.0.1", "::1"}

// Validate returns what is wrong with c, in the order of a
// PostgresLoadBalancer's inputs.
func (c Config) Validate() check.List {
	var l check.List
	l.Under("haproxy", c.Haproxy.validate())
	for i, server := range c.Haproxy.Servers {
		if slices.Contains(c.IPs, server) {
			l.Add(check.Index("haproxy.servers", i), "must not be an address of the load balancer itself, which would connect to itself").
				Needing("ips")
		}
	}
	if a := c.Haproxy.MetricsAddress; a != nil && check.IP(*a) == "" && !slices.Contains(slices.Concat(c.IPs, loopbacks), *a) {
		l.Add("haproxy.metricsAddress", "must be an address of the load balancer (%s), or %s, not %s", strings.Join(c.IPs, ", "), check.Or(loopbacks), *a).
			Needing("ips")
	}
	if c.Registry != nil {
		l.Under("containerRegistry", c.Registry.validate())
	}
	return l
}

func (s Settings) validate() check.List {
	var l check.List
	listed, named := len(s.Servers) > 0, s.Domain != nil
	l.ExactlyOne("", "servers", listed, "domain", named)
	for _, f := range []struct {
		name  string
		given bool
	}{{"nameserverIps", len(s.NameserverIPs) > 0}, {"postgresNodesMaxCount", s.PostgresNodesMaxCount != nil}} {
		switch {
		case named && !f.given:
			l.Add(f.name, "is required with domain").Shape().Needing("domain")
		case !named && f.given:
			l.Add(f.name, "requires domain").Shape().Needing("domain")
		}
	}
	if s.PostgresNodesMaxCount != nil {
		l.Check("postgresNodesMaxCount", check.Range(*s.PostgresNodesMaxCount, 1, mostNodes))
	}
	if named {
		l.Check("domain", domain(*s.Domain))
	}
	for _, list := range []struct {
		name string
		ips  []string
		rule func(string) string
	}{{"nameserverIps", s.NameserverIPs, check.IP}, {"servers", s.Servers, check.HostIP}} {
		for i, ip := range list.ips {
			l.Check(check.Index(list.name, i), list.rule(ip))
		}
		l.Distinct(check.Each(list.name, len(list.ips), ""), list.ips)
	}
	if t := s.Timeouts; t != nil {
		l.Check("timeouts.connect", timeout(ptr.Value(t.Connect)))
		l.Check("timeouts.check", timeout(ptr.Value(t.Check)))
		l.Check("timeouts.idle", timeout(ptr.Value(t.Idle)))
	}
	if s.MetricsAddress != nil {
		l.Check("metricsAddress", check.IP(*s.MetricsAddress))
	}
	return l
}

func domain(s string) string {
	if _, err := netip.ParseAddr(s); err == nil {
		return "must be a domain name, not the address " + check.Quote(s) + "; addresses go into servers"
	}
	return check.DomainName(s)
}

// milliseconds are in each of the units of a timeout.
var milliseconds = map[string]int64{"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

// timeout requires a unit: HAProxy takes a bare number for milliseconds, which is
// more likely meant as seconds. It keeps times in 31 bits of milliseconds.
func timeout(s string) string {
	number := strings.TrimRight(s, "mshd")
	n, err := strconv.ParseUint(number, 10, 31)
	unit := milliseconds[s[len(number):]]
	switch {
	case unit == 0 || !check.Matches(`[0-9]+`, number):
		return "must be a whole number with its unit, such as 500ms, 15s, 30m, 1h or 1d, not " + check.Quote(s)
	case err != nil || n == 0 || int64(n)*unit > 1<<31-1:
		return "must be from 1ms to 24d, not " + check.Quote(s)
	}
	return ""
}

// times are for which a client waits at a node that is down, and for which one may be idle.
const longToWait, shortToIdle = 60_000, 10_000

// Warnings are of what is allowed, and seldom meant.
func (s Settings) Warnings() check.List {
	var l check.List
	for i, ip := range s.NameserverIPs {
		l.Under("", host.OnItself(check.Index("nameserverIps", i), ip, "a name server"))
	}
	l.Under("timeouts", s.Timeouts.warnings())
	return l
}

// warnings are of times that are allowed, and seldom meant.
func (t *Timeouts) warnings() check.List {
	var l check.List
	if t == nil {
		return l
	}
	for _, wait := range []struct {
		name string
		text *string
	}{{"connect", t.Connect}, {"check", t.Check}} {
		if ms(ptr.Value(wait.text)) > longToWait {
			l.Add(wait.name, "is %s, for which a node that is down goes unnoticed", *wait.text)
		}
	}
	if n := ms(ptr.Value(t.Idle)); n > 0 && n < shortToIdle {
		l.Add("idle", "is %s, after which connections are closed, those of running queries too", *t.Idle)
	}
	return l
}

// ms is a timeout in milliseconds, 0 if it is none.
func ms(s string) int64 {
	number := strings.TrimRight(s, "mshd")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return 0
	}
	return n * milliseconds[s[len(number):]]
}

// Warnings are of an image that is not known before it runs.
func (r *Registry) Warnings() check.List {
	var l check.List
	if r != nil {
		l.Under("", host.OnItself("containerRegistry.url", r.URL, "a registry"))
	}
	if r != nil && !strings.Contains(r.image(), "@sha256:") {
		l.Add("containerRegistry.image", "has no digest (@sha256:...): what the load balancer runs is what the registry gives by that tag")
	}
	return l
}

func (r Registry) validate() check.List {
	var l check.List
	l.Check("url", registryURL(r.URL))
	const part = `[a-z0-9]+([._-]+[a-z0-9]+)*`
	if r.Image != nil && !check.Matches(part+`(/`+part+`)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?`, *r.Image) {
		l.Add("image", "must be the name of an image below url, like haproxy:3.0, not %s", check.Quote(*r.Image))
	}
	l.Together("", "username", r.Username != nil, "password", r.Password != nil)
	if r.Username != nil && (*r.Username == "" || strings.ContainsAny(*r.Username, ":\r\n\x00")) {
		l.Add("username", "must be one line without a colon, and not empty")
	}
	if r.Password != nil {
		l.Check("password", check.OneLine(*r.Password))
	}
	if r.CACert != nil {
		_, reason := check.Certificates(*r.CACert)
		l.Check("caCert", reason)
	}
	return l
}

// registryURL requires what can begin the name of an image.
func registryURL(s string) string {
	if reason := check.URL(s); reason != "" {
		return reason
	}
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		!check.Matches(`[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]+)?`, u.Host) ||
		!check.Matches(`(/[a-z0-9]+([._-]+[a-z0-9]+)*)*/?`, u.Path) {
		return "must be the address of a registry, like https://registry.example.org:5000, without user, password or query"
	}
	return ""
}
