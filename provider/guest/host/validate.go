package host

import (
	"crypto/x509"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Validate returns what is wrong with r.
func (r Artifact) Validate() check.List {
	var l check.List
	l.Check("url", check.URL(r.URL))
	l.Check("sha256", check.SHA256(r.SHA256))
	return l
}

// Validate returns what is wrong with e at now.
func (e EtcdConnection) Validate(now time.Time) check.List {
	var l check.List
	l.Required("endpoints", e.Endpoints)
	l.Endpoints("endpoints", e.Endpoints)
	roots, reason := check.CAs(e.CACert)
	if reason == "" {
		reason = check.InForce(roots[0], now)
	}
	l.Check("caCert", reason)
	l.ExactlyOne("", "clientCert", e.ClientCert != nil, "username", e.Username != nil)
	l.Together("", "clientCert", e.ClientCert != nil, "clientKey", e.ClientKey != nil)
	l.Together("", "username", e.Username != nil, "password", e.Password != nil)
	if e.ClientCert != nil && e.ClientKey != nil {
		l.Pair(check.PEM{Path: "clientCert", Text: *e.ClientCert}, check.PEM{Path: "clientKey", Text: *e.ClientKey})
	}
	if chain, reason := check.Certificates(ptr.Value(e.ClientCert)); reason == "" {
		l.Check("clientCert", check.InForce(chain[0], now))
		l.Check("clientCert", check.HasUsages(chain[0], x509.ExtKeyUsageClientAuth))
	}
	if e.Username != nil && (*e.Username == "" || strings.ContainsAny(*e.Username, ":\r\n")) {
		l.Add("username", "must be the name of an etcd user, without a colon, not %s", check.Quote(*e.Username))
	}
	if e.Password != nil {
		l.Check("password", check.OneLine(*e.Password))
	}
	return l
}

// Elsewhere requires endpoints, of the input at a path, of other machines than the one with these
// addresses, which runs no etcd.
func (e EtcdConnection) Elsewhere(path string, ips []string) check.List {
	var l check.List
	for i, endpoint := range e.Endpoints {
		at := check.Index(check.Join(path, "endpoints"), i)
		a, err := netip.ParseAddrPort(endpoint)
		switch {
		case err != nil:
		case check.Loopback(a.Addr()):
			l.Add(at, "must be an address of a member of etcd: at %s this machine reaches itself, and it runs no etcd", a.Addr())
		case slices.ContainsFunc(ips, func(ip string) bool { return check.SameIP(ip, a.Addr().String()) }):
			l.Add(at, "must be an address of a member of etcd, not %s, which is this machine's own: it runs no etcd", a.Addr()).Needing("ips")
		}
	}
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (e EtcdConnection) Warnings() check.List {
	var l check.List
	for i, endpoint := range e.Endpoints {
		if a, err := netip.ParseAddrPort(endpoint); err == nil && a.Port() == ports.EtcdPeer {
			l.Add(check.Index("endpoints", i), "%d is the port at which members of etcd reach each other: %d was meant?", ports.EtcdPeer, ports.EtcdClient)
		}
	}
	return l
}

// OnItself warns of an address, an input at a path, by which a machine reaches itself: nothing is
// installed that answers there.
func OnItself(path, address, what string) check.List {
	var l check.List
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		address = u.Hostname()
	}
	if check.Itself(address) {
		l.Add(path, "is on the machine itself (%s): nothing is installed there as %s, unless the image has one", address, what)
	}
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (f *Fluentbit) Warnings() check.List {
	if f == nil || f.Forward == nil {
		return nil
	}
	return OnItself("forward.domain", f.Forward.Domain, "a receiver of logs")
}

// Validate returns what is wrong with c.
func (c Chrony) Validate() check.List {
	var l check.List
	if len(c.Servers)+len(c.Pools) == 0 {
		l.Add("servers", "must have a time server, or pools must have a pool").Shape().Needing("pools")
	}
	for _, group := range []struct {
		path    string
		sources []TimeSource
	}{{"servers", c.Servers}, {"pools", c.Pools}} {
		var urls []string
		for i, source := range group.sources {
			l.Under(check.Index(group.path, i), source.validate())
			urls = append(urls, strings.ToLower(source.URL))
		}
		l.Distinct(check.Each(group.path, len(urls), "url"), urls)
	}
	if c.Makestep != nil && c.Makestep.Threshold <= 0 {
		l.Add("makestep.threshold", "must be more than 0 (seconds), not %v", c.Makestep.Threshold)
	}
	return l
}

// machine requires the name or the address of one.
func machine(s string) string {
	if _, err := netip.ParseAddr(s); err == nil {
		return check.IP(s)
	}
	return check.DomainName(s)
}

func (t TimeSource) validate() check.List {
	var l check.List
	l.Check("url", machine(t.URL))
	if check.Itself(t.URL) {
		l.Add("url", "must be a time server on another machine: at %s chrony asks itself", check.Quote(t.URL))
	}
	for i, option := range t.Options {
		if option == "" || strings.ContainsAny(option, "\r\n") {
			l.Add(fmt.Sprintf("options[%d]", i), "must be an option of chrony, like iburst, not %s", check.Quote(option))
		}
		word, _, _ := strings.Cut(option, " ")
		if near := check.Nearest(word, chronyOptions); near != "" && len(word) > 4 && !slices.Contains(chronyOptions, word) {
			l.Add(fmt.Sprintf("options[%d]", i), "is no option of chrony; did you mean %s?", near)
		}
	}
	return l
}

// Validate returns what is wrong with f, at now, on a machine that writes logs and has such doors.
func (f Fluentbit) Validate(now time.Time, logs []Log, doors []Door) check.List {
	var l check.List
	if f.Forward == nil && f.DynamicConfig == nil {
		l.Add("forward", "is required, or dynamicConfig").Shape().Needing("dynamicConfig")
	}
	var names []string
	for _, log := range logs {
		names = append(names, log.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Tags)) {
		path := check.Join("tags", name)
		if !slices.Contains(names, name) {
			l.Add(path, "is not a service of this machine, which has %s", check.Or(names))
		}
		l.Check(path, word(f.Tags[name]))
	}
	if f.Forward != nil {
		l.Under("forward", f.Forward.validate())
	}
	if f.Metrics != nil {
		port := ptr.Value(f.Metrics.Port)
		l.Check("metrics.port", check.Port(port))
		for _, d := range doors {
			if d.Port == port {
				l.Add("metrics.port", "must not be %d, the port of the machine's service %s", port, d.Service)
				break
			}
		}
	}
	if f.Buffer != nil {
		l.Under("buffer", f.Buffer.validate())
	}
	if f.DynamicConfig != nil {
		l.Under("dynamicConfig.etcd", f.DynamicConfig.Etcd.Validate(now))
		if !slices.ContainsFunc(doors, func(d Door) bool { return d.Port == ports.EtcdClient }) {
			l.Under("", f.DynamicConfig.Etcd.Elsewhere("dynamicConfig.etcd", nil))
		}
		l.Check("dynamicConfig.keyPrefix", check.KeyPrefix(f.DynamicConfig.KeyPrefix))
	}
	return l
}

func (f Forward) validate() check.List {
	var l check.List
	l.Check("domain", machine(f.Domain))
	l.Check("port", check.Port(f.Port))
	if f.Hostname != nil {
		l.Check("hostname", word(*f.Hostname))
	}
	// Fluent Bit's file has no quotes, and replaces ${NAME} in values.
	if f.SharedKey == "" || strings.TrimSpace(f.SharedKey) != f.SharedKey || strings.ContainsAny(f.SharedKey, "\r\n") || strings.Contains(f.SharedKey, "${") {
		l.Add("sharedKey", "must be one line that neither begins nor ends with white space, and without ${")
	}
	_, reason := check.Certificates(f.CACert)
	l.Check("caCert", reason)
	return l
}

func (b Buffer) validate() check.List {
	var l check.List
	l.Check("memBufLimit", size(ptr.Value(b.MemBufLimit)))
	if b.StorageTotalLimitSize != nil {
		l.Check("storageTotalLimitSize", size(*b.StorageTotalLimitSize))
		if ptr.Value(b.StorageType) != Filesystem {
			l.Add("storageTotalLimitSize", "requires storageType: filesystem").Needing("storageType")
		}
	}
	if b.RetryLimit != nil {
		l.Check("retryLimit", check.Positive(*b.RetryLimit))
	}
	return l
}

// word requires what Fluent Bit's file takes as one word.
func word(s string) string {
	if !check.Matches(`[-A-Za-z0-9_.]+`, s) {
		return "must consist of A-Z, a-z, 0-9, _, - and ., not " + check.Quote(s)
	}
	return ""
}

// leastBuffer is what Fluent Bit reads at once.
const leastBuffer = 32 << 10

// size requires a size as Fluent Bit writes it: bytes, if it has no unit.
func size(s string) string {
	number := strings.TrimRight(s, "KkMmGgBb")
	n, err := strconv.ParseFloat(number, 64)
	unit := s[len(number):]
	if err != nil || !check.Matches(`[0-9]+(\.[0-9]+)?([KkMmGg][Bb]?)?`, s) {
		return "must be a size like 10MB, not " + check.Quote(s)
	}
	for i, letter := range []string{"K", "M", "G"} {
		if strings.HasPrefix(strings.ToUpper(unit), letter) {
			n *= float64(int(1) << (10 * (i + 1)))
		}
	}
	switch {
	case n >= leastBuffer:
		return ""
	case unit == "" && n > 0:
		return "must be a size of 32KB or more, like 10MB, not " + check.Quote(s) + ": bytes, without a unit. MB was meant?"
	}
	return "must be a size of 32KB or more, like 10MB, not " + check.Quote(s)
}
