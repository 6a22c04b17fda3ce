package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Validate returns what is wrong with c, in the order of an EtcdServer's
// inputs. Certificates are TLS's matter.
func (c Config) Validate() check.List {
	var l check.List
	if c.certAuth() && c.Name == "root" {
		l.Add("name", "must not be root: the member's certificate would be that of etcd's user root").Needing("etcd.clientCertAuth")
	}
	l.Under("etcd", c.Etcd.validate())
	l.Under("cluster", c.Cluster.validate())
	l.Under("", c.membership())
	l.Under("", c.auth())
	if b := c.Backups.Backup; b != nil {
		l.Under("backup", b.Validate())
	}
	if r := c.Backups.Restore; r != nil {
		l.Under("restore", r.Validate())
	}
	if v := c.Etcd.Version; v != nil && c.hasBackups() {
		if r, known := parse(*v); known && r.before(restoresRevisions) {
			l.Add("etcd.version", "must be %s or later with backup or restore, since earlier releases cannot restore a snapshot at a later revision, not %s", restoresRevisions, check.Quote(*v)).Needing("backup", "restore")
		}
	}
	return l
}

func (s Settings) validate() check.List {
	var l check.List
	if s.Version != nil && !check.Matches(`v?3\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?`, *s.Version) {
		l.Add("version", "must be a release of etcd 3, like 3.5.26, not %s", check.Quote(*s.Version))
	}
	if reason := retention(*s.AutoCompactionMode, *s.AutoCompactionRetention); reason != "" {
		l.Add("autoCompactionRetention", "%s", reason).Needing("autoCompactionMode")
	}
	l.Check("spaceQuota", quotas.Check(*s.SpaceQuota))
	l.Check("heartbeatInterval", heartbeats.Check(*s.HeartbeatInterval))
	switch election := *s.ElectionTimeout; {
	case elections.Check(election) != "":
		l.Add("electionTimeout", "%s", elections.Check(election))
	case election < 5**s.HeartbeatInterval:
		l.Add("electionTimeout", "must be at least five times heartbeatInterval, %d (ms), not %d", 5**s.HeartbeatInterval, election).Needing("heartbeatInterval")
	}
	if *s.GRPCGatewayEnabled && *s.ClientCertAuth {
		l.Add("grpcGatewayEnabled", "requires clientCertAuth: false: over the gRPC gateway, etcd does not take the user from a certificate").Needing("clientCertAuth")
	}
	if s.Version != nil && *s.GRPCGatewayEnabled && OnlyRootSeesMembers(*s.Version) {
		l.Add("version", "must not be one of %s, which list their members only for the user root, so that Patroni does not find them over the gRPC gateway. Use a later release", list(wantLogin)).Needing("grpcGatewayEnabled")
	}
	return l
}

// heartbeats are not as short as what a network takes to carry them, elections at least five of
// these; above its end etcd refuses to start.
var (
	heartbeats = check.Bounds{Least: 10, Most: maxElectionMs / 5, In: check.Millisecond, Slips: []check.Unit{check.Second}, Usual: 100}
	elections  = check.Bounds{Least: 50, Most: maxElectionMs, In: check.Millisecond, Slips: []check.Unit{check.Second}, Usual: 1000}
)

// retention takes the default, which is of revisions, for none of hours.
func retention(mode CompactionMode, text string) string {
	if mode == Periodic && text == defaultCompactionRetention {
		return "is required with autoCompactionMode: periodic, as in 12h: the default, 1000, is for revisions, and would be hours"
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return ""
	}
	if mode == Revision {
		return "must be a number of revisions, not " + check.Quote(text)
	}
	if d, err := time.ParseDuration(text); err != nil || d < 0 {
		return "must be a number of hours, or a duration like 30m, not " + check.Quote(text)
	}
	return ""
}

// longRetention is much for history that nobody reads: each change of a key stays so long.
const longRetention = 7 * 24 * time.Hour

func (s Settings) warnOfRetention() (l check.List) {
	const path = "autoCompactionRetention"
	if s.AutoCompactionMode == nil || s.AutoCompactionRetention == nil {
		return nil
	}
	n, err := strconv.Atoi(*s.AutoCompactionRetention)
	kept, notTime := time.ParseDuration(*s.AutoCompactionRetention)
	if err == nil {
		kept, notTime = time.Duration(min(n, 1<<20))*time.Hour, nil
	}
	switch {
	case err == nil && n == 0, notTime == nil && kept == 0:
		l.Add(path, "is 0: etcd keeps all history, until its database has reached spaceQuota and it refuses all writes")
	case *s.AutoCompactionMode == Periodic && notTime == nil && kept > longRetention:
		l.Add(path, "is %s, for which etcd keeps each change: its database may reach spaceQuota before. A number alone is hours", check.Quote(*s.AutoCompactionRetention)).Needing("autoCompactionMode")
	}
	return l
}

func (c Cluster) validate() check.List {
	var l check.List
	if c.InitialToken != nil {
		l.Required("initialToken", *c.InitialToken)
	}
	l.Required("initialMembers", c.InitialMembers)
	names, ips := make([]string, len(c.InitialMembers)), make([]string, len(c.InitialMembers))
	for i, m := range c.InitialMembers {
		names[i], ips[i] = m.Name, m.IP
		path := fmt.Sprintf("initialMembers[%d]", i)
		l.Check(path+".name", check.HostName(m.Name))
		l.Check(path+".ip", check.HostIP(m.IP))
	}
	l.Distinct(check.Each("initialMembers", len(names), "name"), names)
	l.Distinct(check.Each("initialMembers", len(ips), "ip"), ips)
	return l
}

// membership requires the member among those of its cluster.
func (c Config) membership() check.List {
	var l check.List
	if len(c.Cluster.InitialMembers) == 0 || len(c.IPs) == 0 {
		return l
	}
	var names []string
	for _, m := range c.Cluster.InitialMembers {
		names = append(names, m.Name)
		if m.Name != c.Name {
			continue
		}
		if m.IP != c.IPs[0] && check.SameIP(m.IP, c.IPs[0]) { // etcd compares texts
			l.Add("cluster.initialMembers", "has %s for %s, and its machine has that address as %s: write both alike", check.Quote(m.IP), c.Name, check.Quote(c.IPs[0])).
				Needing("name", "ips")
		} else if m.IP != c.IPs[0] && c.IPs[0] != "" { // a machine without an interface is refused for that
			l.Add("cluster.initialMembers", "has %s for %s, but the first address of its machine is %s", check.Quote(m.IP), c.Name, check.Quote(c.IPs[0])).
				Needing("name", "ips")
		}
		return l
	}
	l.Add("name", "must be among cluster.initialMembers, which has %s, not %s", strings.Join(names, ", "), check.Quote(c.Name)).
		Needing("cluster.initialMembers")
	return l
}

func (c Config) auth() check.List {
	var l check.List
	given := c.Auth.RootPassword != nil
	switch {
	case given && c.certAuth():
		l.Add("auth.rootPassword", "must not be given with clientCertAuth: root logs in with a client certificate for the common name root").Shape().Needing("etcd.clientCertAuth")
	case given && !c.bootstrap():
		l.Add("auth.rootPassword", "must be given only where bootstrap is true").Shape().Needing("auth.bootstrap")
	case !given && c.bootstrap() && !c.certAuth():
		l.Add("auth.rootPassword", "is required with bootstrap and clientCertAuth: false").Shape().Needing("auth.bootstrap", "etcd.clientCertAuth")
	case given && (*c.Auth.RootPassword == "" || strings.IndexFunc(*c.Auth.RootPassword, unicode.IsSpace) >= 0):
		l.Add("auth.rootPassword", "must not be empty or contain white space, which etcdctl does not take")
	}
	return l
}

// served is the address that etcd serves on, if it is known.
func (c Config) served() []string { return c.IPs[:min(1, len(c.IPs))] }

// ValidateCerts returns what is wrong with the certificates at now.
func (c Config) ValidateCerts(now time.Time) check.List {
	var l check.List
	l.Identity(now, check.PEM{Path: "tls.caCert", Text: c.TLS.CACert}, check.PEM{Path: "tls.serverCert", Text: c.TLS.ServerCert},
		check.PEM{Path: "tls.serverKey", Text: c.TLS.ServerKey}, check.Usages...)
	if chain, reason := check.Certificates(c.TLS.ServerCert); reason == "" {
		if reason := check.HasIPs(chain[0], append([]string{peerName}, c.served()...)...); reason != "" {
			l.Add("tls.serverCert", "%s", reason).Needing("ips")
		}
	}
	return l
}
