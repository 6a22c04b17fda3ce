package dns

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// Validate returns what is wrong with a.
func (a CorednsServerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

// Warnings are of what is allowed, and seldom meant.
func (a CorednsServerArgs) Warnings() []check.Problem {
	l := a.WarnOfServer(coredns.Doors)
	l.Under("etcd", a.Etcd.Warnings())
	l.Passwords(check.Password{Path: "adminUserPassword", Text: a.AdminUserPassword}, check.Password{Path: "etcd.password", Text: a.Etcd.Password, Given: true})
	l.Under("dns", a.DNS.Warnings())
	return l
}

func (a CorednsServerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.ValidateServer(now, coredns.Logs, coredns.Doors))
	l.Under("", server.ValidateArtifacts(a.Artifacts, corednsArchive))
	l.Under("", a.Backend().ValidateNoData("its zones are in etcd"))
	l.Under("", a.Backend().WithAddressPaths(a.server().Validate(now)))
	l.Under("", a.MustReachOneOf("etcd.endpoints", a.Etcd.Endpoints))
	if len(l) == 0 {
		l.Under("", a.Fits(nil, a.state))
	}
	return l
}
