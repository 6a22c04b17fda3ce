package provider

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
)

// Validate returns what is wrong with a.
func (a CorednsServerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a CorednsServerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.validateServer(now, coredns.Logs))
	l.Under("", validateArtifacts(a.Artifacts, corednsArchive))
	l.Under("", a.site().keepsNothing("what this machine serves, it takes from etcd"))
	l.Under("", a.site().blames(a.server().Validate(now)))
	if len(l) == 0 {
		l.Under("", a.fits(nil, a.state))
	}
	return l
}
