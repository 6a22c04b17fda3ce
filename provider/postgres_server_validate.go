package provider

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Validate returns what is wrong with a.
func (a PostgresServerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a PostgresServerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.validateServer(now, postgresLogs))
	l.Under("", validateArtifacts(a.Artifacts))
	node := a.node()
	l.Under("", a.site().blames(node.Validate(now)))
	if a.TLS != nil {
		l.Under("", a.site().blames(node.ValidateCerts(now)))
	}
	l.Under("", validateTrust(a.TrustedCACerts))
	l.Under("", validateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	if len(l) == 0 {
		l.Under("", a.fits(nil, a.state))
	}
	return l
}
