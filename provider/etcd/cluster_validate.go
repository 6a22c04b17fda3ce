package etcd

import (
	"cmp"
	"slices"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// Validate returns what is wrong with a.
func (a EtcdClusterArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a EtcdClusterArgs) validate(now time.Time) check.List {
	var l check.List
	if len(a.Members) == 0 {
		l.Add("members", "must have at least one member").Shape()
	}
	for _, i := range a.own() {
		l.Once(a.ofMember(i, now))
	}
	l.Under("", a.validateExternal(now))
	var names []string
	var owned, uses [][]check.Owned
	var peers []server.Peer
	for i, m := range a.Members {
		at := check.Index("members", i)
		names, owned, uses = append(names, m.Name), append(owned, m.backend().Owned(at)), append(uses, m.backend().Uses(at))
		peers = append(peers, server.Peer{Path: at, Backend: m.backend()})
	}
	l.Distinct(check.Each("members", len(names), "name"), names)
	l.Apart(owned)
	l.NotTaken(owned, uses)
	l.Under("", server.MustReachEachOther(peers))
	l.Under("", takesQuota(a.Etcd.WithDefaults(), a.ownPaths(), a.ownBackends()...))
	l.Under("", server.ValidateTrust(a.TrustedCACerts))
	l.Under("", a.recoverable())
	if a.SecurityGroups != nil {
		l.Under("securityGroups", a.SecurityGroups.Validate())
		if !slices.ContainsFunc(a.Members, func(m EtcdClusterMachine) bool { return m.backend().TakesGroups() }) {
			l.Add("securityGroups", "must have a member for which a port is created, without securityGroupIds of its own").Shape().
				Needing(check.Each("members", len(a.Members), "openstack.networkPort.networkId")...).
				Needing(check.Each("members", len(a.Members), "openstack.networkPort.securityGroupIds")...)
		}
	}
	if a.CA != nil {
		l.Under("ca", a.CA.Validate(now))
	}
	l.Under("", a.validateTLS(now))
	if a.Certificate != nil {
		l.Under("certificate", a.Certificate.Validate())
	}
	return l
}

// ofMember is what is wrong with the i-th member, by the names of the cluster's inputs.
func (a EtcdClusterArgs) ofMember(i int, now time.Time) check.List {
	m := a.server(i)
	s := m.To()
	if s.Auth != nil && !a.certAuth() && s.Auth.RootPassword == nil {
		made := "made"
		s.Auth.RootPassword = &made
	}
	if s.Backup != nil {
		settings, made := *s.Backup, "made-of-what-is-random"
		settings.EncryptionKey = cmp.Or(settings.EncryptionKey, &made)
		s.Backup = &settings
	}
	l := s.ValidateServer(now, etcdLogs, etcdDoors)
	l.Under("", s.admitsMembers())
	l.Under("", server.ValidateArtifacts(s.Artifacts, etcdArchive))
	l = append(l, s.Backend().WithAddressPaths(s.member().Validate())...)
	l.Under("", s.oneRelease())
	if s.TLS != nil {
		l = append(l, s.Backend().WithAddressPaths(s.member().ValidateCerts(now))...)
	}
	if len(l) == 0 {
		l.Under("", s.Fits(nil, s.state))
	}
	return m.Sources(slices.DeleteFunc(l, func(p check.Problem) bool { return check.Within(p.Path, "cluster.initialMembers") })) // those are the members themselves
}

func (a EtcdClusterArgs) certAuth() bool { return *a.Etcd.WithDefaults().ClientCertAuth }

// Warnings are of what is allowed, and seldom meant.
func (a EtcdClusterArgs) Warnings() []check.Problem {
	var l check.List
	switch n := len(a.Members); {
	case n == 1:
		l.Add("members", "a cluster of one member is unavailable while its machine changes").Shape()
	case n%2 == 0:
		l.Add("members", "a cluster of %d members tolerates no more failures than one of %d", n, n-1).Shape()
	}
	if ptr.Value(a.AllowDataLoss) && len(a.Members) == 1 {
		l.Add("allowDataLoss", "is on: an update continues even if the only member has lost its data. Remove it after the update that needs it").
			Shape().Needing("members")
	}
	if ptr.Value(a.SkipHealthChecks) {
		l.Add("skipHealthChecks", "is on: no health check is made before a machine is restarted or destroyed, nor after. Remove it after the update that needs it")
	}
	l.Under("etcd", a.Etcd.WithDefaults().Warnings())
	l.Under("backup", a.Backup.Warnings())
	if a.SecurityGroups != nil {
		l.Under("securityGroups", a.SecurityGroups.Warnings())
	}
	l.Passwords(check.Password{Path: "rootPassword", Text: a.RootPassword}, check.Password{Path: "adminUserPassword", Text: a.AdminUserPassword})
	l.Under("", server.WarnOfSigning(a.CA, a.Certificate, time.Now()))
	for _, i := range a.own() {
		m := a.server(i)
		data := a.Members[i].backend().WarnOfNoData()
		for j := range data {
			data[j].Needs = append(data[j].Needs, "external")
		}
		l.Under(check.Index("members", i), data)
		l.First(m.Sources(m.To().WarnOfServer(etcdDoors)))
	}
	return l
}
