package provider

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
)

// Validate returns what is wrong with a.
func (a PostgresServerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a PostgresServerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.host().validate(now, nil, postgresLogs))
	node := a.node()
	l.Under("", a.site().blames(node.Validate(now)))
	if a.TLS != nil {
		l.Under("", a.site().blames(node.ValidateCerts(now)))
	}
	l.Under("", validateTrust(a.TrustedCACerts))
	l.Under("", validateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	if len(l) == 0 {
		l.Under("", a.host().fits(nil, a.state))
	}
	return l
}

func (a PostgresServerArgs) host() hostArgs {
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

func (a PostgresServerArgs) site() site { return site{a.Libvirt, a.OpenStack} }
