package provider

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
)

// Validate returns what is wrong with a.
func (a PostgresLoadBalancerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a PostgresLoadBalancerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.host().validate(now, nil, loadBalancerLogs))
	l.Under("", a.site().keepsNothing("a load balancer keeps no data"))
	config := a.config()
	l.Under("", a.site().blames(config.Validate()))
	if a.TLS != nil {
		l.Under("", a.site().blames(config.ValidateCerts(now)))
	}
	l.Under("", validateTrust(a.TrustedCACerts))
	l.Under("", validateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	if len(l) == 0 {
		l.Under("", a.host().fits(nil, a.state))
	}
	return l
}

func (a PostgresLoadBalancerArgs) host() hostArgs {
	return hostArgs{
		name:      value(a.Name),
		admin:     host.Admin{User: value(a.SSHAdminUser), PublicKey: a.SSHAdminPublicKey, Password: value(a.AdminUserPassword)},
		site:      a.site(),
		install:   value(a.InstallDependencies),
		aptProxy:  value(a.AptProxy),
		chrony:    a.Chrony,
		fluentbit: a.Fluentbit,
	}
}

func (a PostgresLoadBalancerArgs) site() site { return site{a.Libvirt, a.OpenStack} }
