package etcd

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// Validate returns what is wrong with a.
func (a EtcdServerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

// Warnings are of what is allowed, and seldom meant.
func (a EtcdServerArgs) Warnings() []check.Problem {
	var l check.List
	l.Under("etcd", a.Etcd.WithDefaults().Warnings())
	l.Under("", a.WarnOfServer(etcdDoors))
	l.Under("", server.WarnOfDataLoss(a.AllowDataLoss))
	l.Passwords(check.Password{Path: "auth.rootPassword", Text: ptr.Value(a.Auth).RootPassword}, check.Password{Path: "adminUserPassword", Text: a.AdminUserPassword})
	l.Under("", server.WarnOfSigning(a.CA, a.Certificate, time.Now()))
	if a.TLS != nil {
		l.OutlivesCA(check.PEM{Path: "tls.serverCert", Text: a.TLS.ServerCert}, check.PEM{Path: "tls.caCert", Text: a.TLS.CACert})
	}
	return l
}

// admitsMembers requires the firewall to let members reach each other: one that joins asks
// the others at the clients' port too.
func (a EtcdServerArgs) admitsMembers() check.List {
	var l check.List
	for i, m := range a.Cluster.InitialMembers {
		for _, service := range []string{clients, peers} {
			l.Under("", a.MustAdmit(service, m.Name, m.IP, check.Index("cluster.initialMembers", i)+".ip"))
		}
	}
	return l
}

func (a EtcdServerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.ValidateServer(now, etcdLogs, etcdDoors))
	l.Under("", a.admitsMembers())
	for i, m := range a.Cluster.InitialMembers {
		l.Under("", a.MustReach(check.Index("cluster.initialMembers", i)+".ip", m.IP))
	}
	l.Under("", server.ValidateArtifacts(a.Artifacts, etcdArchive))
	member := a.member()
	l.Under("", a.Backend().WithAddressPaths(member.Validate()))
	l.Under("", a.oneRelease())
	l.Under("", takesQuota(member.Etcd, []string{""}, a.Backend()))
	if a.TLS != nil {
		l.Under("", a.Backend().WithAddressPaths(member.ValidateCerts(now)))
	}
	l.Under("", server.ValidateTrust(a.TrustedCACerts))
	l.Under("", server.ValidateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	if len(l) == 0 {
		l.Under("", a.Fits(nil, a.state))
	}
	return l
}

// oneRelease requires etcd from one place.
func (a EtcdServerArgs) oneRelease() check.List {
	var l check.List
	if _, both := a.Artifacts[etcdArchive]; both && a.Etcd != nil && a.Etcd.Version != nil {
		l.Add("etcd.version", "must not be given together with artifacts.%s, which is a release already", etcdArchive).Shape().Needing("artifacts")
	}
	return l
}

// SteadyState is a without the other members: etcd reads of them when it starts
// without data.
func (a EtcdServerArgs) SteadyState() EtcdServerArgs {
	a.Cluster.InitialMembers = []config.Member{{Name: ptr.Value(a.Name), IP: a.Backend().IP()}}
	return a
}
