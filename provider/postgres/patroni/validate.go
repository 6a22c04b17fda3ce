package patroni

import (
	"crypto/x509"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// leastVersion is PostgreSQL's oldest that is still looked after.
const leastVersion = 14

// leastTTLS is the shortest lock that Patroni takes; it goes on with the
// default if it is given less.
const leastTTLS, leastRetryS = 20, 3

// Longer times are no times any more in which a cluster fails over.
var (
	ttls      = seconds(leastTTLS, 3600, "an hour")
	loopWaits = seconds(1, 3600, "an hour")
	retries   = seconds(leastRetryS, 3600, "an hour")
	timeouts  = seconds(0, 86400, "a day")
)

func seconds(least, most int, mostIs string) check.Bounds {
	return check.Bounds{Least: least, Most: most, MostIs: mostIs, In: check.Second, Slips: []check.Unit{check.Millisecond}}
}

// Validate returns what is wrong with c at now, in the order of a
// PostgresServer's inputs. Its own certificates are ValidateCerts's matter.
func (c Config) Validate(now time.Time) check.List {
	var l check.List
	l.Under("postgres", c.Postgres.validate())
	l.Under("patroni", c.Patroni.validate())
	l.Under("etcd", c.Etcd.Validate(now))
	l.Under("", c.Etcd.Elsewhere("etcd", c.IPs))
	l.Under("", c.validateBackups())
	l.Under("", c.validateStandby())
	l.Under("", c.undoing())
	l.Under("", c.together())
	l.Under("", c.room())
	l.Under("", c.pooled())
	return l
}

// archiving are parameters that belong to backups.
var archiving = map[string]string{
	"archive_mode": "backup sets it", "archive_command": "backup sets it", "archive_library": "backup has an archive_command",
	"archive_timeout": "backup.archiveTimeout sets it", "restore_command": "backup sets it",
}

// validateBackups requires a restored cluster to write elsewhere than its source.
func (c Config) validateBackups() check.List {
	var l check.List
	if c.Backup != nil {
		l.Under("backup", c.Backup.Validate())
		for _, name := range slices.Sorted(maps.Keys(c.Postgres.Params)) {
			if why, is := archiving[strings.ToLower(name)]; is {
				l.Add(check.Join("postgres.params", name), "must not be given with backup: %s", why).Needing("backup")
			}
		}
	}
	if c.Restore != nil {
		l.Under("restore", c.Restore.Validate())
	}
	if c.Backup != nil && c.Restore != nil && c.Backup.Stanza != nil && *c.Backup.Stanza == c.Restore.Stanza && c.Backup.S3.SamePlace(c.Restore.S3) {
		l.Add("restore.stanza", "must be that of another cluster: %s is this one's own, in the same bucket and prefix. A restored cluster must not write into its source's backups", check.Quote(c.Restore.Stanza)).
			Needing("backup")
	}
	return l
}

func (p Postgres) validate() check.List {
	var l check.List
	if p.Version != nil {
		if n, err := strconv.Atoi(*p.Version); err != nil || n < leastVersion || n > 99 {
			l.Add("version", "must be a major version of PostgreSQL from %d on, like 17, not %s", leastVersion, check.Quote(*p.Version))
		}
	}
	l.Under("", validateParams(p.Params, p.Version))
	l.Under("", p.validateExtensions())
	if p.Access != nil && len(p.Access) == 0 {
		l.Add("access", "must not be empty: without it every user may connect; a rule with method: reject refuses all")
	}
	for i, a := range p.Access {
		l.Under(check.Index("access", i), a.validate())
	}
	l.Check("replicatorPassword", check.OneLine(p.ReplicatorPassword))
	l.Check("superuserPassword", check.OneLine(p.SuperuserPassword))
	if p.RewindPassword != nil {
		l.Check("rewindPassword", check.OneLine(*p.RewindPassword))
	}
	return l
}

// Fit is what a version of PostgreSQL does not take of the parameters and extensions.
func (p Postgres) Fit() check.List {
	l := validateParams(p.Params, p.Version)
	l.Under("", p.validateExtensions())
	return l
}

func (s Settings) validate() check.List {
	var l check.List
	if !check.Matches(`[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?`, s.Scope) {
		l.Add("scope", "must consist of A-Z, a-z, 0-9, -, _ and ., not %s", check.Quote(s.Scope))
	}
	if !strings.HasPrefix(*s.Namespace, "/") || strings.ContainsAny(*s.Namespace, " \r\n") {
		l.Add("namespace", "must begin with /, and have no white space, not %s", check.Quote(*s.Namespace))
	}
	if s.Name != nil && !check.Matches(`[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?`, *s.Name) {
		l.Add("name", "must consist of A-Z, a-z, 0-9, -, _ and ., not %s", check.Quote(*s.Name))
	}
	if s.Allowlist != nil && len(s.Allowlist) == 0 {
		l.Add("allowlist", "must not be empty: without it orders may come from everywhere")
	}
	for i, from := range s.Allowlist {
		l.Check(check.Index("allowlist", i), check.NetworkOrIP(from))
	}
	l.Distinct(check.Each("allowlist", len(s.Allowlist), ""), s.Allowlist)
	l.Under("", s.times())
	l.Under("", s.replication())
	return l
}

// times requires a leader to notice that it is none before another becomes one.
func (s Settings) times() check.List {
	var l check.List
	before := len(l)
	l.Check("ttl", ttls.Check(*s.TTL))
	l.Check("loopWait", loopWaits.Check(*s.LoopWait))
	l.Check("retryTimeout", retries.Check(*s.RetryTimeout))
	if sum := *s.LoopWait + 2**s.RetryTimeout; len(l) == before && sum > *s.TTL {
		l.Add("ttl", "must be loopWait + 2 * retryTimeout (%d) or more, not %d", sum, *s.TTL).Needing("loopWait", "retryTimeout")
	}
	l.Check("primaryStartTimeout", timeouts.Check(*s.PrimaryStartTimeout))
	l.Check("primaryStopTimeout", timeouts.Check(*s.PrimaryStopTimeout))
	switch margin := *s.WatchdogSafetyMargin; {
	case margin < halfTTL:
		l.Add("watchdogSafetyMargin", "must be 0 or more, or -1 for half of ttl, not %d", margin)
	case *s.WatchdogMode != Off && len(l) == before && s.watchdogTimeout() < *s.LoopWait+*s.RetryTimeout:
		// https://patroni.readthedocs.io/en/latest/watchdog.html
		l.Add("watchdogSafetyMargin", "must leave Patroni loopWait + retryTimeout (%d) or more before the watchdog resets the machine, so that a leader whose etcd is unavailable can step down; it leaves %d",
			*s.LoopWait+*s.RetryTimeout, s.watchdogTimeout()).
			Needing("ttl", "loopWait", "retryTimeout", "watchdogMode")
	}
	return l
}

// longTTL is how long a cluster without a leader seldom is meant to wait for another.
const longTTL = 300

// Warnings are of what is allowed, and seldom meant.
func (s Settings) Warnings() check.List {
	var l check.List
	if *s.TTL > longTTL {
		l.Add("ttl", "is %d seconds, for which the cluster has no leader after the leader's machine has failed", *s.TTL)
	}
	if a := s.AsynchronousSettings; a != nil && *a.MaximumLagOnFailover > 0 && *a.MaximumLagOnFailover < 1<<10 {
		l.Add("asynchronousSettings.maximumLagOnFailover", "is %[1]d bytes: MiB was meant? %[1]d MiB are %d", *a.MaximumLagOnFailover, *a.MaximumLagOnFailover<<20)
	}
	return l
}

func (s Settings) replication() check.List {
	var l check.List
	if s.SynchronousSettings != nil {
		l.Check("synchronousSettings.synchronousNodeCount", check.Positive(*s.SynchronousSettings.SynchronousNodeCount))
		if !*s.IsSynchronous {
			l.Add("synchronousSettings", "must not be given with isSynchronous: false").Shape().Needing("isSynchronous")
		}
	}
	if s.AsynchronousSettings != nil {
		if lag := *s.AsynchronousSettings.MaximumLagOnFailover; lag < 0 {
			l.Add("asynchronousSettings.maximumLagOnFailover", "must be 0 (bytes) or more, not %d", lag)
		}
		if *s.IsSynchronous {
			l.Add("asynchronousSettings", "must not be given with isSynchronous: true").Shape().Needing("isSynchronous")
		}
	}
	return l
}

// ValidateCerts returns what is wrong with the certificates at now.
func (c Config) ValidateCerts(now time.Time) check.List {
	var l check.List
	ca := check.PEM{Path: "tls.caCert", Text: c.TLS.CACert}
	l.Identity(now, ca, check.PEM{Path: "tls.serverCert", Text: c.TLS.ServerCert}, check.PEM{Path: "tls.serverKey", Text: c.TLS.ServerKey},
		x509.ExtKeyUsageServerAuth)
	var client check.List
	client.Identity(now, ca, check.PEM{Path: "tls.clientCert", Text: c.TLS.ClientCert}, check.PEM{Path: "tls.clientKey", Text: c.TLS.ClientKey},
		x509.ExtKeyUsageClientAuth)
	for _, p := range client {
		if p.Path != ca.Path { // said already
			l = append(l, p)
		}
	}
	if chain, reason := check.Certificates(c.TLS.ServerCert); reason == "" && len(c.IPs) > 0 {
		if reason := check.HasIPs(chain[0], c.IPs[0]); reason != "" {
			l.Add("tls.serverCert", "%s", reason).Needing("ips")
		}
	}
	return l
}
