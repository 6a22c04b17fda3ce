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
	if a.Libvirt != nil && a.Libvirt.HasDataVolume() {
		l.Add("libvirt", "must have neither dataVolume nor dataVolumeId: a load balancer keeps no data").
			Shape().Needing("libvirt.dataVolume", "libvirt.dataVolumeId")
	}
	config := a.config()
	l.Under("", config.Validate())
	if a.TLS != nil {
		l.Under("", config.ValidateCerts(now))
	}
	l.Under("", validateTrust(a.TrustedCACerts))
	l.Under("", validateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	return l
}

func (a PostgresLoadBalancerArgs) host() hostArgs {
	return hostArgs{
		name:      value(a.Name),
		admin:     host.Admin{User: value(a.SSHAdminUser), PublicKey: a.SSHAdminPublicKey, Password: value(a.AdminUserPassword)},
		libvirt:   a.Libvirt,
		install:   value(a.InstallDependencies),
		aptProxy:  value(a.AptProxy),
		chrony:    a.Chrony,
		fluentbit: a.Fluentbit,
	}
}
