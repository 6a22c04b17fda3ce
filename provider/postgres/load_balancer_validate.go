package postgres

import (
	"crypto/x509"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// Validate returns what is wrong with a.
func (a PostgresLoadBalancerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

// Warnings are of what is allowed, and seldom meant.
func (a PostgresLoadBalancerArgs) Warnings() []check.Problem {
	l := a.WarnOfServer(a.doors())
	l.Under("", a.ContainerRegistry.Warnings())
	l.Passwords(check.Password{Path: "adminUserPassword", Text: a.AdminUserPassword})
	l.Under("haproxy", a.Haproxy.Warnings())
	l.Under("", a.warnOfVirtualIP())
	return l
}

func (a PostgresLoadBalancerArgs) validate(now time.Time) check.List {
	l := a.validateMachine(now)
	l.Under("", a.ownsVirtualIP())
	_, reason := check.CAs(a.CACert)
	l.Check("caCert", reason)
	l.Under("", a.validateClient(now))
	l.Under("", server.ValidateTrust(a.TrustedCACerts))
	if len(l) == 0 {
		l.Under("", a.Fits(nil, a.state))
	}
	return l
}

// validateClient requires the certificate and its key together.
func (a PostgresLoadBalancerArgs) validateClient(now time.Time) check.List {
	var l check.List
	switch {
	case a.ClientCert == nil && a.ClientKey == nil:
	case a.ClientCert == nil:
		l.Add("clientCert", "is required with clientKey").Shape().Needing("clientKey")
	case a.ClientKey == nil:
		l.Add("clientKey", "is required with clientCert").Shape().Needing("clientCert")
	default:
		l.Identity(now, check.PEM{Path: "caCert", Text: a.CACert}, check.PEM{Path: "clientCert", Text: *a.ClientCert},
			check.PEM{Path: "clientKey", Text: *a.ClientKey}, x509.ExtKeyUsageClientAuth)
	}
	return l
}

// validateMachine leaves out the certificates, which a cluster makes.
func (a PostgresLoadBalancerArgs) validateMachine(now time.Time) check.List {
	l := a.ValidateServer(now, a.logs(), a.doors())
	l.Under("", a.Backend().ValidateNoData("a load balancer keeps no data"))
	l.Under("", a.Backend().WithAddressPaths(a.config().Validate()))
	for i, ip := range a.Haproxy.Servers {
		l.Under("", a.MustReach(check.Index("haproxy.servers", i), ip))
	}
	if a.PoolerPort != nil {
		l.Check("poolerPort", check.Port(*a.PoolerPort))
	}
	l.Under("", a.Backend().WithAddressPaths(a.validateVirtualIP()))
	return l
}
