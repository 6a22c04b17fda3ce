package postgres

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/keepalived"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// shareVirtualIP has the i-th load balancer share the address with the others, of which the
// first takes it when none has it.
func (a PostgresClusterArgs) shareVirtualIP(i int, m *inputs.Mapping[PostgresClusterArgs, PostgresLoadBalancerArgs]) {
	if a.VirtualIP == nil {
		return
	}
	priority, s := keepalived.Priority(i), m.To()
	s.VirtualIP = &keepalived.VirtualIP{Priority: &priority, UnicastPeers: make([]string, 0, len(a.LoadBalancers))}
	m.Same(s.VirtualIP, a.VirtualIP)
	var from []string
	for j, other := range a.LoadBalancers {
		if j == i {
			continue
		}
		path := other.backend().BesidePath(check.Index("loadBalancers", j), a.VirtualIP.Address)
		at := slices.Index(other.backend().IPPaths(check.Index("loadBalancers", j)), path)
		ip := ""
		if ips := other.backend().IPs(); at < len(ips) {
			ip = ips[at]
		}
		s.VirtualIP.UnicastPeers, from = append(s.VirtualIP.UnicastPeers, ip), append(from, path)
	}
	for j, path := range from {
		m.From(&s.VirtualIP.UnicastPeers[j], path)
	}
}

// virtualIP is the address that moves, or none.
func (r *postgresRoll) virtualIP() pulumi.StringArray {
	if r.in.Args.VirtualIP == nil {
		return nil
	}
	return pulumi.StringArray{r.in.RequiredString("virtualIp.address")}
}

// moves is where whoever has the address that moves serves, or nothing. It is not asked which
// configuration is in force.
func (r *postgresRoll) moves() (all quorum.PostgresHealthLoadBalancerArray) {
	for _, ip := range r.virtualIP() {
		all = append(all, quorum.PostgresHealthLoadBalancerArgs{
			Endpoint: server.Endpoint(ip.ToStringOutput(), ports.Postgres), ReplicaEndpoint: server.Endpoint(ip.ToStringOutput(), ports.PostgresReplica),
		})
	}
	return all
}

// virtualOwned is the address that moves among what no machine may have.
func (a PostgresClusterArgs) virtualOwned() []check.Owned {
	if a.VirtualIP == nil {
		return nil
	}
	return keepalived.VirtualIP{Address: a.VirtualIP.Address}.Owned("virtualIp")
}

// warnOfVirtualIP is of what is allowed, and seldom meant.
func (a PostgresClusterArgs) warnOfVirtualIP() check.List {
	var l check.List
	for i := range a.LoadBalancers {
		m := a.loadBalancer(i)
		for _, p := range m.Sources(m.To().warnOfVirtualIP()) {
			if !check.Within(p.Path, "virtualIp.unicastPeers") { // that there are no others is told already
				l = append(l, p)
			}
		}
	}
	if a.VirtualIP != nil && a.Restore != nil {
		l.Add("virtualIp.address", "is taken by these load balancers as soon as they run: give another, or none, if the cluster that the backups are of still has it").
			Shape().Needing("restore")
	}
	return l
}

// loadBalancerLogs are those of the load balancers that are forwarded.
func (a PostgresClusterArgs) loadBalancerLogs() []host.Log {
	if a.VirtualIP == nil {
		return loadBalancerLogs
	}
	return slices.Concat(loadBalancerLogs, keepalivedLogs)
}
