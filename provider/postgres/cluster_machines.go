package postgres

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// node says what the i-th node is to be, and which inputs of the cluster that is.
// Its authority, its passwords, its user of etcd and what its certificate is for
// come when they are made.
func (a PostgresClusterArgs) node(i int) *inputs.Mapping[PostgresClusterArgs, PostgresServerArgs] {
	user, certificate := a.etcdUser(), ptr.Value(a.Certificate)
	s := PostgresServerArgs{CA: &server.CA{}, Etcd: host.EtcdConnection{Username: &user}}
	m := inputs.Map(&a, &s)
	m.Same(&s, &a, &s.CA, &s.Postgres, &s.Etcd, &s.Libvirt, &s.OpenStack)
	m.Same(&s, &a.Nodes[i])
	m.Same(&s.Postgres, a.Postgres)
	m.Take(&s.Etcd.Endpoints, &a.Etcd.Endpoints)
	m.Take(&s.Etcd.CACert, &a.Etcd.CACert)
	if a.hasExternal() {
		joins := true
		s.Joins = &joins
	}
	s.Certificate = &certificate
	return m
}

// loadBalancer is node for the i-th load balancer.
func (a PostgresClusterArgs) loadBalancer(i int) *inputs.Mapping[PostgresClusterArgs, PostgresLoadBalancerArgs] {
	var s PostgresLoadBalancerArgs
	m := inputs.Map(&a, &s)
	m.Same(&s, &a, &s.CACert, &s.Libvirt, &s.OpenStack, &s.VirtualIP)
	if a.Pooler != nil {
		m.Take(&s.PoolerPort, &a.Pooler.Port)
	}
	m.Same(&s, &a.LoadBalancers[i])
	if s.Haproxy.Domain == nil {
		s.Haproxy.Servers = make([]string, len(a.Nodes))
		for j, n := range a.Nodes {
			s.Haproxy.Servers[j] = n.backend().IP()
			m.From(&s.Haproxy.Servers[j], n.backend().IPPaths(check.Index("nodes", j))[0])
		}
	}
	a.shareVirtualIP(i, m)
	return m
}

// node are the inputs of the i-th node.
func (r *postgresRoll) node(i int) inputs.Inputs[PostgresServerArgs] {
	var ips, names pulumi.StringArray
	for j := range r.in.Args.LoadBalancers {
		ips = append(ips, r.balancerIP(j))
		names = append(names, r.in.RequiredString(check.Index("loadBalancers", j)+".name"))
	}
	m := r.in.Args.node(i)
	m.To().Certificate.ExtraIPs, m.To().Certificate.Domains = nil, nil // they are made
	if r.in.Args.Upgrade != nil && !r.in.Known("upgrade.from") {       // nor is what it does to the node
		m.From(&m.To().Postgres.Version, "upgrade.from")
	}
	made := r.ca.Inputs()
	made["etcd.username"] = r.user()
	// Clients check that they are where they connect to: at a load balancer.
	made["certificate.extraIps"] = server.Concat(append(r.virtualIP(), ips...), r.in.Strings("certificate.extraIps"))
	made["certificate.domains"] = server.Concat(names, r.in.Strings("certificate.domains"), r.domains(check.Index("nodes", i)+".name"))
	return inputs.Derive(r.in, m, r.nodeGroups.Put(r.in.Args.Nodes[i].backend(), made))
}

// loadBalancer are the inputs of the i-th load balancer.
func (r *postgresRoll) loadBalancer(i int) inputs.Inputs[PostgresLoadBalancerArgs] {
	made := map[string]pulumi.Output{"caCert": r.ca.Cert}
	if r.in.Args.hasExternal() { // whose Patroni may tell its health to none without a certificate
		made["clientCert"], made["clientKey"] = r.client.Cert, r.client.Key
	}
	return inputs.Derive(r.in, r.in.Args.loadBalancer(i), r.balancerGroups.Put(r.in.Args.LoadBalancers[i].backend(), made))
}

func (r *postgresRoll) nodeIP(i int) pulumi.StringOutput {
	return r.in.Args.Nodes[i].backend().Addresses(r.in, check.Index("nodes", i))[0].ToStringOutput()
}

func (r *postgresRoll) balancerIP(i int) pulumi.StringOutput {
	return r.in.Args.LoadBalancers[i].backend().Addresses(r.in, check.Index("loadBalancers", i))[0].ToStringOutput()
}

// endpoints are those that clients connect to, at a port, once gate has passed.
func (r *postgresRoll) endpoints(gate *postgresHealth, port int) pulumi.StringArrayOutput {
	var all pulumi.StringArray
	for _, ip := range r.clientIPs() {
		all = append(all, gate.afterGate(server.Endpoint(ip.ToStringOutput(), port)))
	}
	return all.ToStringArrayOutput()
}

// clientIPs are the addresses that clients connect to: the one that moves, if there is one, and
// those of the load balancers.
func (r *postgresRoll) clientIPs() pulumi.StringArray {
	all := r.virtualIP()
	for i := range r.in.Args.LoadBalancers {
		all = append(all, r.balancerIP(i))
	}
	return all
}

// nodeEndpoints are those of PostgreSQL on all nodes, once gate has passed.
func (r *postgresRoll) nodeEndpoints(gate *postgresHealth) pulumi.StringArrayOutput {
	var all pulumi.StringArray
	for i := range r.in.Args.Nodes {
		all = append(all, gate.afterGate(server.Endpoint(r.nodeIP(i), ports.Postgres)))
	}
	return all.ToStringArrayOutput()
}

// eachNode adds what is found of each node.
func (a PostgresClusterArgs) eachNode(l *check.List, find func(i int) check.List) {
	var names []string
	var found []check.List
	for i, n := range a.Nodes {
		names, found = append(names, n.Name), append(found, find(i))
	}
	l.OfEach(check.Each("nodes", len(names), ""), names, found)
}
