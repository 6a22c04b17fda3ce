package postgres

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// Warnings are of what is allowed, and seldom meant.
func (a PostgresClusterArgs) Warnings() []check.Problem {
	var l check.List
	count := a.Patroni.Standbys()
	switch n := len(a.Nodes); n {
	case 1:
		l.Add("nodes", "a cluster of one node is unavailable while its machine changes").Shape()
	case count + 1:
		l.Add("nodes", "each commit waits for all standbys (%d): writes stop while one of them is unavailable", count).Shape().Needing("patroni")
	}
	l.Under("", a.warnOfAllowlist())
	l.Under("", patroni.OpenDoors(ptr.Value(a.Postgres).Access, a.Patroni.Allowlist))
	l.Under("patroni", a.Patroni.Warnings())
	l.Under("etcd", a.Etcd.Warnings())
	l.Under("backup", a.Backup.Warnings())
	given := ptr.Value(a.Postgres)
	l.Passwords(
		check.Password{Path: "postgres.superuserPassword", Text: given.SuperuserPassword},
		check.Password{Path: "postgres.replicatorPassword", Text: given.ReplicatorPassword},
		check.Password{Path: "postgres.rewindPassword", Text: given.RewindPassword},
		check.Password{Path: "adminUserPassword", Text: a.AdminUserPassword},
		check.Password{Path: "etcd.password", Text: a.Etcd.Password, Given: true},
	)
	l.Under("", server.WarnOfSigning(a.CA, a.Certificate, time.Now()))
	l.Under("", a.ContainerRegistry.Warnings())
	if a.Pooler != nil {
		l.Under("pooler", a.Pooler.Warnings())
	}
	if a.Haproxy != nil {
		l.Under("haproxy", a.Haproxy.Warnings())
	}
	for i := range a.Nodes {
		if !a.Nodes[i].backend().IsMade() {
			continue
		}
		m := a.node(i)
		l.Under(check.Index("nodes", i), a.Nodes[i].backend().WarnOfNoData())
		l.First(m.Sources(m.To().WarnOfServer(m.To().doors())))
		l.First(m.Sources(m.To().node().WarnOfPool()))
	}
	a.eachNode(&l, func(i int) check.List {
		if !a.Nodes[i].backend().IsMade() {
			return nil
		}
		m := a.node(i)
		return m.Sources(m.To().node().WarnOfParams())
	})
	for i := range a.LoadBalancers {
		if !a.LoadBalancers[i].backend().IsMade() {
			continue
		}
		m := a.loadBalancer(i)
		l.First(m.Sources(m.To().WarnOfServer(m.To().doors())))
	}
	l.Under("", a.warnOfVirtualIP())
	if len(a.LoadBalancers) == 1 {
		l.Add("loadBalancers", "with one load balancer, clients cannot reach the cluster while its machine changes").Shape()
	}
	if ptr.Value(a.AllowDataLoss) && len(a.Nodes) == 1 {
		l.Add("allowDataLoss", "is on: an update continues even if the only node has lost its data. Remove it after the update that needs it").
			Shape().Needing("nodes")
	}
	if ptr.Value(a.SkipHealthChecks) {
		l.Add("skipHealthChecks", "is on: no health check is made before a machine is restarted or destroyed, nor after. Remove it after the update that needs it")
	}
	return l
}
