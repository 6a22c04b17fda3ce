package provider

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
)

// Validate returns what is wrong with a.
func (a CorednsServerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a CorednsServerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.host().validate(now, []string{corednsArchive}, coredns.Logs))
	l.Under("", a.site().keepsNothing("what this machine serves, it takes from etcd"))
	l.Under("", a.site().blames(a.server().Validate(now)))
	if len(l) == 0 {
		l.Under("", a.host().fits(nil, a.state))
	}
	return l
}

func (a CorednsServerArgs) host() hostArgs {
	return hostArgs{
		name:      value(a.Name),
		admin:     host.Admin{User: value(a.SSHAdminUser), PublicKey: a.SSHAdminPublicKey, Password: value(a.AdminUserPassword)},
		site:      a.site(),
		install:   value(a.InstallDependencies),
		aptProxy:  value(a.AptProxy),
		artifacts: a.Artifacts,
		chrony:    a.Chrony,
		fluentbit: a.Fluentbit,
	}
}

func (a CorednsServerArgs) site() site { return site{a.Libvirt, a.OpenStack} }
