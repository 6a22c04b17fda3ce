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
	l.Under("", node.Validate(now))
	if a.TLS != nil {
		l.Under("", node.ValidateCerts(now))
	}
	l.Under("", validateTrust(a.TrustedCACerts))
	l.Under("", validateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	return l
}

func (a PostgresServerArgs) host() hostArgs {
	return hostArgs{
		name:      value(a.Name),
		admin:     host.Admin{User: value(a.SSHAdminUser), PublicKey: a.SSHAdminPublicKey, Password: value(a.AdminUserPassword)},
		libvirt:   a.Libvirt,
		install:   value(a.InstallDependencies),
		aptProxy:  value(a.AptProxy),
		artifacts: a.Artifacts,
		chrony:    a.Chrony,
		fluentbit: a.Fluentbit,
	}
}
