package provider

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Validate returns what is wrong with a.
func (a PostgresLoadBalancerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a PostgresLoadBalancerArgs) validate(now time.Time) check.List {
	l := a.validateMachine(now)
	if a.TLS != nil {
		l.Under("", a.site().blames(a.config().ValidateCerts(now)))
	}
	l.Under("", validateTrust(a.TrustedCACerts))
	l.Under("", validateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	if len(l) == 0 {
		l.Under("", a.fits(nil, a.state))
	}
	return l
}

// validateMachine leaves out the certificates, which a cluster makes.
func (a PostgresLoadBalancerArgs) validateMachine(now time.Time) check.List {
	l := a.validateServer(now, loadBalancerLogs)
	l.Under("", a.site().keepsNothing("a load balancer keeps no data"))
	l.Under("", a.site().blames(a.config().Validate()))
	return l
}
