package postgres

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// Validate returns what is wrong with a.
func (a PostgresLoadBalancerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a PostgresLoadBalancerArgs) validate(now time.Time) check.List {
	l := a.validateMachine(now)
	if a.TLS != nil {
		l.Under("", a.Backend().WithAddressPaths(a.config().ValidateCerts(now)))
	}
	l.Under("", server.ValidateTrust(a.TrustedCACerts))
	l.Under("", server.ValidateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	if len(l) == 0 {
		l.Under("", a.Fits(nil, a.state))
	}
	return l
}

// validateMachine leaves out the certificates, which a cluster makes.
func (a PostgresLoadBalancerArgs) validateMachine(now time.Time) check.List {
	l := a.ValidateServer(now, loadBalancerLogs)
	l.Under("", a.Backend().ValidateNoData("a load balancer keeps no data"))
	l.Under("", a.Backend().WithAddressPaths(a.config().Validate()))
	return l
}
