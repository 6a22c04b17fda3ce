package postgres

import (
	"maps"
	"net"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/bluegreen"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// ClusterUpgradeFrom is a cluster, of the same or an earlier major version of PostgreSQL, whose place this one comes to take.
type ClusterUpgradeFrom struct {
	Endpoints         []string `pulumi:"endpoints"`
	SuperuserPassword string   `pulumi:"superuserPassword" provider:"secret"`
}

// comesFrom is what is wrong with the cluster whose place this one comes to take, as far as the program shows it.
func (a PostgresClusterArgs) comesFrom(owned [][]check.Owned) check.List {
	var l check.List
	if a.UpgradeFrom == nil {
		return nil
	}
	l.Required("upgradeFrom.endpoints", a.UpgradeFrom.Endpoints)
	for i, endpoint := range a.UpgradeFrom.Endpoints {
		path := check.Index("upgradeFrom.endpoints", i)
		reason := check.HostAndPort(endpoint)
		if l.Check(path, reason); reason != "" {
			continue
		}
		host, _, _ := net.SplitHostPort(endpoint)
		l.Under("", a.itself(path, host, owned, "take its own place"))
	}
	l.Distinct(check.Each("upgradeFrom.endpoints", len(a.UpgradeFrom.Endpoints), ""), a.UpgradeFrom.Endpoints)
	l.Required("upgradeFrom.superuserPassword", a.UpgradeFrom.SuperuserPassword)
	l.Check("upgradeFrom.superuserPassword", check.OneLine(a.UpgradeFrom.SuperuserPassword))
	if a.CA == nil {
		l.Add("ca", "is required with upgradeFrom: nodes log in to the source with certificates of this cluster's authority, which the source must know before. Give the source the same ca, or this one's certificate in trustedCaCerts").
			Shape().Needing("upgradeFrom")
	}
	if version, err := strconv.Atoi(ptr.Value(ptr.Value(a.Postgres).Version)); err == nil && version < bluegreen.Oldest {
		l.Add("postgres.version", "must be %d or later with upgradeFrom, not %d: before, what owners of tables have in them would be run by a superuser", bluegreen.Oldest, version).
			Needing("upgradeFrom")
	}
	if on := a.Patroni.IsSynchronous; on != nil && !*on && len(a.Nodes) > 1 {
		l.Add("patroni.isSynchronous", "must not be false with upgradeFrom: a failover of this cluster while it is filled would lose rows, and nobody would know. Turn it off after the cutover").
			Shape().Needing("upgradeFrom")
	}
	for _, other := range []struct {
		name  string
		given bool
		why   string
	}{
		{"standbyOf", a.StandbyOf != nil, "a standby is copied as it is, in the version that it has"},
		{"restore", a.Restore != nil, "the cluster is filled with what the source has, and must be empty before"},
		{"upgrade", a.Upgrade != nil, "that is the way in place, of the source itself"},
		{"skipHealthChecks", ptr.Value(a.SkipHealthChecks), "both clusters have to be asked"},
	} {
		if other.given {
			l.Add("upgradeFrom", "must not be given with %s: %s", other.name, other.why).Shape().Needing(other.name)
		}
	}
	return l
}

// upgradeFrom is how the source is reached, and this cluster: by its load balancers, or its nodes.
func (r *postgresRoll) upgradeFrom() quorum.PostgresHealthUpgradeFromPtrInput {
	if r.in.Args.UpgradeFrom == nil {
		return nil
	}
	own := pulumi.StringArray{}
	for _, ip := range r.clientIPs() {
		own = append(own, server.Endpoint(ip.ToStringOutput(), ports.Postgres))
	}
	for i := range r.in.Args.Nodes {
		own = append(own, server.Endpoint(r.nodeIP(i), ports.Postgres))
	}
	as := func(endpoints pulumi.StringArrayInput, password pulumi.StringInput) quorum.PostgresConnectionArgs {
		return quorum.PostgresConnectionArgs{
			Endpoints: endpoints, CaCert: server.Trusted(r.in, r.ca.Cert), Password: password.ToStringOutput().ToStringPtrOutput(),
			ClientCert: r.client.Cert.ToStringPtrOutput(), ClientKey: r.client.Key.ToStringPtrOutput(),
		}
	}
	return quorum.PostgresHealthUpgradeFromArgs{
		Source: as(r.in.Strings("upgradeFrom.endpoints"), r.in.RequiredString("upgradeFrom.superuserPassword")),
		Target: as(own, r.passwords[superuserPassword]),
	}
}

// fill registers the gate that has the cluster filled, after all that serves it.
func (r *postgresRoll) fill(ctx *pulumi.Context, done *rolled) error {
	if r.in.Args.UpgradeFrom == nil {
		return nil
	}
	gate, err := r.gate(ctx, filled, quorum.PostgresHealthArgs{UpgradeFrom: r.upgradeFrom(), Triggers: maps.Clone(r.machines)}, done.all...)
	if err == nil {
		done.add(gate)
	}
	return err
}
