package provider

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Validate returns what is wrong with a.
func (a EtcdServerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a EtcdServerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.validateServer(now, etcdLogs))
	l.Under("", validateArtifacts(a.Artifacts, etcdArchive))
	member := a.member()
	l.Under("", a.site().blames(member.Validate()))
	l.Under("", a.oneRelease())
	l.Under("", takesQuota(member.Etcd, []string{""}, a.site()))
	if a.TLS != nil {
		l.Under("", a.site().blames(member.ValidateCerts(now)))
	}
	l.Under("", validateTrust(a.TrustedCACerts))
	l.Under("", validateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	if len(l) == 0 {
		l.Under("", a.fits(nil, a.state))
	}
	return l
}

// oneRelease wants etcd from one place.
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
	a.Cluster.InitialMembers = []config.Member{{Name: ptr.Value(a.Name), IP: a.site().ip()}}
	return a
}
