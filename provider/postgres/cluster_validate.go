package postgres

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/keepalived"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// Validate returns what is wrong with a.
func (a PostgresClusterArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a PostgresClusterArgs) validate(now time.Time) check.List {
	var l check.List
	for _, list := range []struct {
		name string
		of   []PostgresClusterMachine
	}{{"nodes", a.Nodes}, {"loadBalancers", a.LoadBalancers}} {
		if len(list.of) == 0 {
			l.Add(list.name, "must have at least one").Shape()
		}
	}
	a.eachNode(&l, func(i int) check.List {
		if n := a.Nodes[i]; n.isExternal() && !n.backend().IsMade() {
			return nil
		}
		return a.ofNode(i, now)
	})
	paths := a.machinePaths()
	for i, m := range a.machines() {
		switch {
		case m.isExternal() && !m.backend().IsMade():
			l.Under(paths[i], m.backend().ValidateExternal(m.Name))
		case i >= len(a.Nodes):
			l.Once(a.ofLoadBalancer(i-len(a.Nodes), now))
		}
	}
	l.Under("", a.external())
	l.Under("", a.distinct())
	l.Under("", a.admits())
	l.Under("", a.reaches())
	l.Under("", a.replication())
	l.Under("", a.counts())
	l.Under("", a.upgrades())
	l.Under("etcd", a.Etcd.Validate(now))
	l.Under("", a.Etcd.Elsewhere("etcd", nil))
	if a.Etcd.ClientCert != nil {
		l.Add("etcd.clientCert", "must not be given: Patroni logs in to etcd with a password, over the gRPC gateway. Use an etcd with clientCertAuth: false, and set username and password").
			Shape()
	}
	if a.Haproxy != nil && a.Haproxy.Servers != nil {
		l.Add("haproxy.servers", "must not be given: HAProxy's servers are the nodes of this cluster").Shape()
	}
	if a.DNS != nil {
		l.Under("dns", slices.DeleteFunc(check.List(a.zone().Validate()), func(p check.Problem) bool { return strings.HasPrefix(p.Path, "records") }))
	}
	l.Under("", server.ValidateTrust(a.TrustedCACerts))
	if a.CA != nil {
		l.Under("ca", a.CA.Validate(now))
	}
	if a.Certificate != nil {
		l.Under("certificate", a.Certificate.Validate())
	}
	return l
}

// ofNode is what is wrong with the i-th node, by the names of the cluster's inputs.
func (a PostgresClusterArgs) ofNode(i int, now time.Time) check.List {
	return a.ofMachine("nodes", i, a.Nodes[i], a.ofNodeMade(i, now))
}

// ofNodeMade is ofNode for one that is made.
func (a PostgresClusterArgs) ofNodeMade(i int, now time.Time) check.List {
	m, made, madeKey := a.node(i), "made", "made-of-what-is-random"
	s, given := m.To(), ptr.Value(a.Postgres)
	if given.SuperuserPassword == nil {
		s.Postgres.SuperuserPassword = made
	}
	if given.ReplicatorPassword == nil {
		s.Postgres.ReplicatorPassword = made
	}
	if s.Backup != nil {
		settings := *s.Backup
		settings.EncryptionKey = cmp.Or(settings.EncryptionKey, &madeKey)
		settings.Stanza = cmp.Or(settings.Stanza, &made)
		s.Backup = &settings
	}
	l := s.ValidateServer(now, slices.Concat(s.logs(), a.loadBalancerLogs()), append(s.doors(), loadBalancerDoors...)) // they share fluentbit and firewall
	for _, p := range s.Backend().WithAddressPaths(s.node().Validate(now)) {
		if !check.Within(p.Path, "etcd") { // that is looked at as it was given
			l = append(l, p)
		}
	}
	l.Under("", s.validatePooler())
	if len(l) == 0 {
		l.Under("postgres", a.fitBoth(*s))
	}
	if a.Patroni.Name != nil {
		l.Add("patroni.name", "must not be given: each node has its own").Shape()
	}
	if len(l) == 0 {
		secrets := map[string]string{etcdPassword: made}
		if a.Upgrade != nil {
			secrets[upgradeFrom] = a.Upgrade.From
		}
		l.Under("", s.Fits(secrets, s.state))
	}
	return m.Sources(l)
}

// ofLoadBalancer is ofNode for the i-th load balancer.
func (a PostgresClusterArgs) ofLoadBalancer(i int, now time.Time) check.List {
	m := a.loadBalancer(i)
	b := *m.To()
	b.Fluentbit, b.Firewall = nil, nil // they are looked at with the nodes
	l := b.validateMachine(now)
	if len(l) == 0 {
		l.Under("", b.Fits(nil, b.state))
	}
	l = m.Sources(slices.DeleteFunc(l, func(p check.Problem) bool { return check.Within(p.Path, "haproxy.servers") })) // those are the nodes
	return a.ofMachine("loadBalancers", i, a.LoadBalancers[i], l)
}

// distinct requires each machine to have a name, addresses and what else it has for
// itself. The addresses are none of etcd or of a name server either.
func (a PostgresClusterArgs) distinct() check.List {
	var l check.List
	paths := a.machinePaths()
	var named, names []string
	var owned, uses [][]check.Owned
	var asked []check.Owned // name servers
	for i, m := range a.machines() {
		named, names = append(named, paths[i]+".name"), append(names, m.Name)
		owned, uses = append(owned, m.backend().Owned(paths[i])), append(uses, m.backend().Uses(paths[i]))
		asked = append(asked, m.backend().NameServers(paths[i])...)
		switch {
		case slices.Contains(reserved, m.Name) || strings.HasPrefix(m.Name, "without-"):
			l.Add(paths[i]+".name", "must not be %s: a gate, a certificate or a user of the cluster has that name", m.Name)
		case a.DNS != nil && m.Name == nodesName:
			l.Add(paths[i]+".name", "must not be %s, which is the name of all nodes in the zone", nodesName).Needing("dns")
		}
	}
	owned, uses = append(owned, a.virtualOwned()), append(uses, nil)
	l.Distinct(named, names)
	l.Under("", a.standby(owned))
	l.Under("", a.comesFrom(owned))
	l.Apart(owned)
	l.NotTaken(owned, uses)
	l.First(keepalived.NotOfNameServers(a.virtualOwned(), asked))
	for i, endpoint := range a.Etcd.Endpoints {
		l.Under("", a.taken(check.Index("etcd.endpoints", i), hostOf(endpoint), owned))
	}
	if a.Haproxy != nil {
		for i, ip := range a.Haproxy.NameserverIPs {
			l.Under("", a.taken(check.Index("haproxy.nameserverIps", i), ip, owned))
		}
	}
	return l
}

// admits requires the firewall to let nodes reach each other, and load balancers nodes,
// and their pools.
func (a PostgresClusterArgs) admits() check.List {
	var l check.List
	paths := a.machinePaths()
	for i, m := range a.machines() {
		for _, service := range []string{postgresDoor, patroniDoor} {
			l.Under("", a.MustAdmit(service, m.Name, m.backend().IP(), paths[i]))
		}
		if a.Pooler != nil && i >= len(a.Nodes) {
			l.Under("", a.MustAdmit(poolerDoor, m.Name, m.backend().IP(), paths[i]))
		}
	}
	return l
}

// reaches requires nodes to reach each other and etcd, and load balancers to reach nodes.
func (a PostgresClusterArgs) reaches() check.List {
	var peers []server.Peer
	paths := a.machinePaths()
	for i, m := range a.machines() {
		peers = append(peers, server.Peer{Path: paths[i], Backend: m.backend()})
	}
	nodes, balancers := peers[:len(a.Nodes)], peers[len(a.Nodes):]
	l := server.MustReachEachOther(nodes)
	l.Under("", server.MustReachAll(balancers, nodes))
	for i := range a.Nodes {
		m := a.node(i)
		l.First(m.Sources(m.To().MustReachOneOf("etcd.endpoints", a.Etcd.Endpoints)))
	}
	return l
}

// machinePaths are where the machines are among the inputs, in their order.
func (a PostgresClusterArgs) machinePaths() []string {
	return append(check.Each("nodes", len(a.Nodes), ""), check.Each("loadBalancers", len(a.LoadBalancers), "")...)
}

// reserved are names of what a cluster has beside its machines.
var reserved = []string{"plan", healthy, restarted, upgraded, filled, "client", "ca", "patroni"}

// taken requires the address at a path to be that of none of the machines.
func (PostgresClusterArgs) taken(path, ip string, owned [][]check.Owned) (l check.List) {
	for _, o := range slices.Concat(owned...) {
		if o.Kind == check.Addresses && o.Value == ip && ip != "" {
			l.Add(o.Path, "must differ from that of %s: both are %s", path, check.Quote(ip)).Needing(path)
		}
	}
	return l
}

func hostOf(endpoint string) string {
	if parsed, err := netip.ParseAddrPort(endpoint); err == nil {
		return parsed.Addr().String()
	}
	return ""
}

// replication requires a commit to find the nodes that it waits for.
func (a PostgresClusterArgs) replication() check.List {
	var l check.List
	n, count := len(a.Nodes), a.Patroni.Standbys()
	switch {
	case n == 0 || count < n:
	case a.Patroni.SynchronousSettings != nil:
		l.Add("patroni.synchronousSettings.synchronousNodeCount", "must be less than the number of nodes (%d), not %d", n, count).
			Needing("patroni.isSynchronous", "nodes").Shape()
	default:
		l.Add("patroni.isSynchronous", "must be false with a single node: commits would wait for another").
			Needing("patroni.synchronousSettings.synchronousNodeCount", "nodes").Shape()
	}
	return l
}
