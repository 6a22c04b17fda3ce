package postgres

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// isExternal reports whether it is somebody else's machine.
func (m PostgresClusterMachine) isExternal() bool { return ptr.Value(m.External) }

// hasExternal reports whether a node is: the cluster is one that others have made.
func (a PostgresClusterArgs) hasExternal() bool {
	return slices.ContainsFunc(a.Nodes, PostgresClusterMachine.isExternal)
}

// isMade reports whether the i-th machine of a list is made, and can be planned.
func (r *postgresRoll) isMade(list string, i int) bool {
	of := r.in.Args.Nodes
	if list != "nodes" {
		of = r.in.Args.LoadBalancers
	}
	return !of[i].isExternal() && of[i].backend().IsMade() && server.IsNamed(r.in, check.Index(list, i))
}

// places are where load balancers are, and which of them somebody else has made.
func (r *postgresRoll) places() (all quorum.PostgresHealthLoadBalancerArray) {
	for i := range r.in.Args.LoadBalancers {
		all = append(all, r.serves(i))
	}
	return all
}

// isShared is absent in most programs: what they say of the cluster stays as it was.
func (r *postgresRoll) isShared() pulumi.BoolPtrInput { return server.IfTrue(r.in.Args.hasExternal()) }

// ofExisting adds to a plan by what the cluster is looked at that others have made.
func (r *postgresRoll) ofExisting(plan quorum.PostgresHealthPlanArgs) quorum.PostgresHealthPlanArgs {
	if !r.in.Args.hasExternal() {
		return plan
	}
	given := ptr.Value(r.in.Args.Postgres)
	plan.Etcd, plan.ReplicatorPassword = r.connection("etcd"), r.passwords[replicatorPassword]
	plan.Libraries = pulumi.ToStringArray(patroni.Libraries(given.Extensions))
	if r.in.Known("postgres.params") {
		plan.Parameters = pulumi.ToStringMap(patroni.Parameters(patroni.Postgres{Params: given.Params, Extensions: given.Extensions}))
	}
	return plan
}

// external requires, while a machine is somebody else's, what the cluster has, and refuses what would change it.
func (a PostgresClusterArgs) external() check.List {
	var l check.List
	if a.VirtualIP != nil && (a.hasExternal() || slices.ContainsFunc(a.LoadBalancers, PostgresClusterMachine.isExternal)) {
		l.Add("virtualIp", "must not be given while a machine is external: it moves between load balancers that are made here. Add it when the last one has been taken over").
			Shape().Needing("nodes", "loadBalancers")
	}
	if !a.hasExternal() {
		return l
	}
	given := ptr.Value(a.Postgres)
	for _, of := range []struct {
		path  string
		given bool
		why   string
	}{
		{"postgres.superuserPassword", given.SuperuserPassword != nil, "that of the cluster, whose users and passwords stay as they are"},
		{"postgres.replicatorPassword", given.ReplicatorPassword != nil, "that of the cluster, whose users and passwords stay as they are"},
		{"postgres.version", given.Version != nil, "the major version that the cluster has, as `SHOW server_version` tells"},
		{"ca", a.CA != nil, "the authority of the cluster's certificates, by which its nodes and those that are made trust each other"},
	} {
		if !of.given {
			l.Add(of.path, "is required while a node is external: %s", of.why).Shape().Needing("nodes")
		}
	}
	for _, of := range []struct {
		path  string
		given bool
		why   string
	}{
		{"postgres.rewindPassword", given.RewindPassword != nil, "the cluster has no role for it"},
		{"skipHealthChecks", ptr.Value(a.SkipHealthChecks), "the cluster must be seen before anything changes"},
		{"allowDataLoss", ptr.Value(a.AllowDataLoss), "the cluster is not founded here"},
		{"backup", a.Backup != nil, "a leader that is external archives nothing"},
		{"restore", a.Restore != nil, "the cluster is not founded here"},
		{"standbyOf", a.StandbyOf != nil, "the cluster is not founded here"},
		{"upgradeFrom", a.UpgradeFrom != nil, "the cluster is not founded here"},
		{"upgrade", a.Upgrade != nil, "external nodes cannot take part"},
		{"pooler", a.Pooler != nil, "external nodes have no pool"},
		{"applyPendingRestarts", ptr.Value(a.ApplyRestarts), "parameters stay as they are"},
		{"reindexCollations", ptr.Value(a.ReindexCollations), "indexes stay as they are until their nodes have been taken over"},
	} {
		if of.given {
			l.Add(of.path, "must not be given while a node is external: %s. Add it when the last one has been taken over", of.why).Shape().Needing("nodes")
		}
	}
	return l
}

// ofMachine has what is wrong with a machine of which nothing is said wait for whether it is external.
func (PostgresClusterArgs) ofMachine(list string, i int, m PostgresClusterMachine, problems check.List) check.List {
	if !m.backend().IsMade() {
		for j := range problems {
			problems[j].Needing(check.Join(check.Index(list, i), "external"))
		}
	}
	return problems
}
