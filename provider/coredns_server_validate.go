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
	if a.Libvirt != nil && a.Libvirt.HasDataVolume() {
		l.Add("libvirt", "must have neither dataVolume nor dataVolumeId: what this machine serves, it takes from etcd").
			Shape().Needing("libvirt.dataVolume", "libvirt.dataVolumeId")
	}
	l.Under("", a.server().Validate(now))
	return l
}

func (a CorednsServerArgs) host() hostArgs {
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
