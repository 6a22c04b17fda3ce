package postgres

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// Validate returns what is wrong with a.
func (a PostgresServerArgs) Validate() []check.Problem { return a.validate(time.Now()) }

// Warnings are of what is allowed, and seldom meant.
func (a PostgresServerArgs) Warnings() []check.Problem {
	l := a.WarnOfServer(a.doors())
	l.Under("", server.WarnOfDataLoss(a.AllowDataLoss))
	l.Under("", patroni.OpenDoors(a.Postgres.Access, a.Patroni.Allowlist))
	l.Under("", a.node().WarnOfParams())
	l.Under("", server.WarnOfSigning(a.CA, a.Certificate, time.Now()))
	if t := a.TLS; t != nil {
		ca := check.PEM{Path: "tls.caCert", Text: t.CACert}
		l.OutlivesCA(check.PEM{Path: "tls.serverCert", Text: t.ServerCert}, ca)
		l.OutlivesCA(check.PEM{Path: "tls.clientCert", Text: t.ClientCert}, ca)
	}
	l.Under("patroni", a.Patroni.Warnings())
	l.Under("etcd", a.Etcd.Warnings())
	l.Under("backup", a.Backup.Warnings())
	l.Under("", a.node().WarnOfPool())
	if a.Pooler != nil {
		l.Under("pooler", a.Pooler.Warnings())
	}
	l.Passwords(
		check.Password{Path: "postgres.superuserPassword", Text: &a.Postgres.SuperuserPassword},
		check.Password{Path: "postgres.replicatorPassword", Text: &a.Postgres.ReplicatorPassword},
		check.Password{Path: "postgres.rewindPassword", Text: a.Postgres.RewindPassword},
		check.Password{Path: "adminUserPassword", Text: a.AdminUserPassword},
		check.Password{Path: "etcd.password", Text: a.Etcd.Password, Given: true},
	)
	return l
}

func (a PostgresServerArgs) validate(now time.Time) check.List {
	var l check.List
	l.Under("", a.ValidateServer(now, a.logs(), a.doors()))
	l.Under("", server.ValidateArtifacts(a.Artifacts))
	node := a.node()
	l.Under("", a.Backend().WithAddressPaths(node.Validate(now)))
	l.Under("", a.MustReachOneOf("etcd.endpoints", a.Etcd.Endpoints))
	if a.Backup != nil {
		l.Required("backup.stanza", a.Backup.Stanza)
		l.Required("backup.encryptionKey", a.Backup.EncryptionKey)
	}
	l.Under("", a.validatePooler())
	if ptr.Value(a.Joins) {
		for _, of := range []struct {
			path  string
			given bool
		}{{"backup", a.Backup != nil}, {"restore", a.Restore != nil}, {"standbyOf", a.StandbyOf != nil}, {"pooler", a.Pooler != nil}} {
			if of.given {
				l.Add(of.path, "must not be given with joins: the cluster stays as others have made it").Shape().Needing("joins")
			}
		}
	}
	if a.TLS != nil {
		l.Under("", a.Backend().WithAddressPaths(node.ValidateCerts(now)))
	}
	l.Under("", server.ValidateTrust(a.TrustedCACerts))
	l.Under("", server.ValidateSigning(a.TLS != nil, a.CA, a.Certificate, now))
	if len(l) == 0 {
		l.Under("", a.Fits(nil, a.state))
	}
	return l
}

// SteadyState is a without the backup that the cluster is founded from: nodes of one that
// is there read no more of it.
func (a PostgresServerArgs) SteadyState() PostgresServerArgs {
	a.Restore = nil
	return a
}

// validatePooler is what is wrong with the pool.
func (a PostgresServerArgs) validatePooler() check.List {
	var l check.List
	if a.Pooler != nil {
		l.Under("pooler", a.Pooler.Validate(a.Postgres.Connections()))
	}
	return l
}
