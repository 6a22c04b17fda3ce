package postgres

import (
	"net"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// standby requires of a cluster that is one of another cluster what the data that it copies have.
func (a PostgresClusterArgs) standby(owned [][]check.Owned) check.List {
	var l check.List
	if a.StandbyOf == nil {
		return nil
	}
	for i, endpoint := range a.StandbyOf.Endpoints {
		if host, _, err := net.SplitHostPort(endpoint); err == nil {
			l.Under("", a.itself(check.Index("standbyOf.endpoints", i), host, owned[len(a.Nodes):], "be a standby of itself"))
		}
	}
	given := ptr.Value(a.Postgres)
	for _, of := range []struct {
		name  string
		value *string
	}{{superuserPassword, given.SuperuserPassword}, {replicatorPassword, given.ReplicatorPassword}} {
		if of.value == nil {
			l.Add("postgres."+of.name, "is required with standbyOf: roles and their passwords come with the data of the source. Give the value of its output %s, as a secret of this stack", of.name).
				Shape().Needing("standbyOf")
		}
	}
	if a.CA == nil && len(a.StandbyOf.Endpoints) > 0 {
		l.Add("ca", "is required with standbyOf.endpoints: nodes log in to the source with certificates of this cluster's authority, which the source must know before. Give the source the same ca, or this one's certificate in trustedCaCerts").
			Shape().Needing("standbyOf")
	}
	return l
}

// itself requires the address at a path to be that of none of the cluster's machines, and says what that cannot do.
func (PostgresClusterArgs) itself(path, host string, owned [][]check.Owned, cannot string) (l check.List) {
	for _, of := range owned {
		for _, o := range of {
			if o.Kind == check.Addresses && o.Value != "" && check.SameIP(o.Value, host) {
				l.Add(path, "must be of another cluster: %s is this cluster's own address (%s), and a cluster cannot %s", host, o.Path, cannot).Needing(o.Path)
			}
		}
	}
	return l
}

// synchronousStandbys are how many there must be: a standby cluster has none before it is promoted.
func (a PostgresClusterArgs) synchronousStandbys() int {
	if a.StandbyOf != nil {
		return 0
	}
	return a.Patroni.Standbys()
}

// aboutStandby are the inputs that are told of what is followed: no key is among them.
var aboutStandby = []string{"standbyOf.endpoints", "standbyOf.backup.s3.endpoint", "standbyOf.backup.s3.bucket", "standbyOf.backup.s3.prefix", "standbyOf.backup.stanza"}

// standbyOf is what gates say that the cluster is a standby of, and by what.
func (r *postgresRoll) standbyOf() (of pulumi.StringPtrInput, by pulumi.StringArrayInput) {
	standby := r.in.Args.StandbyOf
	if standby == nil {
		return nil, nil
	}
	about := r.in.Text(inputs.Only(aboutStandby...), standby.About)
	by = fault.Apply(about, func(string) []string { return standbyBy(*standby) }).(pulumi.StringArrayOutput)
	return about.ToStringPtrOutput(), by
}

// source is how the cluster that this one follows is reached: they have the same superuser. One that is followed by its backups
// alone has no endpoints.
func (r *postgresRoll) source() quorum.PostgresConnectionPtrInput {
	if r.in.Args.StandbyOf == nil {
		return nil
	}
	of := pulumi.All(r.in.Strings("standbyOf.endpoints"), server.Trusted(r.in, r.ca.Cert), r.client.Cert, r.client.Key, r.passwords[superuserPassword])
	return fault.Apply(of, func(all []any) *quorum.PostgresConnection {
		endpoints, _ := all[0].([]string)
		endpoints = append([]string{}, endpoints...) // nil would be no list
		text := func(i int) string { s, _ := all[i].(string); return s }
		cert, key, password := text(2), text(3), text(4)
		return &quorum.PostgresConnection{Endpoints: endpoints, CaCert: text(1), ClientCert: &cert, ClientKey: &key, Password: &password}
	}).(quorum.PostgresConnectionPtrOutput)
}

// standbyBy is how WAL of the source arrives, as gates name it.
func standbyBy(s patroni.Standby) (by []string) {
	if len(s.Endpoints) > 0 {
		by = append(by, health.ByEndpoints)
	}
	if s.Backup != nil {
		by = append(by, health.ByBackup)
	}
	return by
}
