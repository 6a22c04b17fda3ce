package host

import (
	"crypto/x509"
	"net/netip"
	"net/url"
	"slices"
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

// machine requires the name or the address of one.
func machine(s string) string {
	if _, err := netip.ParseAddr(s); err == nil {
		return check.IP(s)
	}
	return check.DomainName(s)
}
