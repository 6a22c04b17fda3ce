package fromterraform

import (
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func (p *program) postgresClusters(clusters [][]*node, balancers []*balancer) {
	slices.SortStableFunc(clusters, func(a, b []*node) int { return a[0].place - b[0].place })
	var names []string
	for _, nodes := range clusters {
		slices.SortStableFunc(nodes, func(a, b *node) int { return natural(a.name, b.name) })
		names = append(names, p.name("postgres", len(clusters) == 1, nodes[0].conf.in("scope").text()))
	}
	own, others := assign(balancers, clusters, names)
	for i, nodes := range clusters {
		resource, properties := newBlock(), newBlock()
		resource.set("type", "quorum:PostgresCluster")
		p.postgresCluster(names[i], properties, nodes, own[i])
		p.answer(names[i], "", properties)
		p.guard(names[i], properties.node)
		resource.set("properties", properties)
		p.resources.set(names[i], resource)
	}
	for _, b := range others {
		p.balancer(b.balancer, b.why)
	}
}

func (p *program) postgresCluster(name string, b *block, nodes []*node, balancers []*balancer) {
	slices.SortStableFunc(balancers, func(a, b *balancer) int { return natural(a.Name, b.Name) })
	var machines, all []*Machine
	for _, n := range nodes {
		machines = append(machines, n.Machine)
	}
	all = machines
	for _, each := range balancers {
		all = append(slices.Clone(all), each.Machine)
	}
	p.host(b, name, all)
	p.etcdConnection(b, name, nodes)
	for _, of := range []struct {
		what string
		of   func(*node) string
	}{
		{"patroni", func(n *node) string { return n.settings() }},
		{"postgres.params", func(n *node) string { return n.parameters() }},
		{"postgres.access", func(n *node) string { return strings.Join(n.conf.in("postgresql", "pg_hba").texts(), "\n") }},
		{"ca", func(n *node) string { return firstOf(n.ca) }},
		{"etcd.caCert", func(n *node) string { return firstOf(n.etcdCA) }},
		{"etcd.endpoints", func(n *node) string { return strings.Join(n.hosts(), " ") }},
		{"certificate", func(n *node) string { return named(n.server) }},
	} {
		_, differ := agree(nodes, of.of)
		noteDiffering(b, of.what, differ)
	}
	for _, why := range unfit(nodes) {
		b.note("%s: change that first, see docs/taking-over-postgres.md, What the cluster must have", why)
	}
	b.set("patroni", p.patroni(nodes))
	b.set("postgres", p.postgresSettings(name, nodes))
	p.authority(b, name, "PostgreSQL's authority", nodes[0].ca)
	b.set("certificate", certificate(nodes[0].server, allAddresses(all), namesOf(all)))
	if len(balancers) > 0 {
		b.set("haproxy", haproxy(balancers))
	}
	var entries, balancing, blocks []*block
	for _, n := range nodes {
		entry, where := p.entry(name, n.Machine, n.name, n.ip, true)
		entries, blocks = append(entries, entry), append(blocks, where)
	}
	for _, each := range balancers {
		entry, where := p.entry(name, each.Machine, each.Name, "", false)
		balancing, blocks = append(balancing, entry), append(blocks, where)
	}
	if len(balancing) == 0 {
		entry := newBlock()
		entry.set("name", hostname(name+"-lb"))
		entry.set("external", true)
		entry.ask("ip", asked{words: "load balancer ip", what: "address of a load balancer", why: "none in the state is known to serve this cluster. At least one is needed: give its address here, or a machine to make in place of this one", example: "10.0.0.5"})
		p.answer(name, "", entry)
		balancing = append(balancing, entry)
	}
	p.shareBlocks(b, all, slices.DeleteFunc(blocks, func(b *block) bool { return b == nil }), len(entries)+len(balancing))
	b.set("nodes", entries)
	b.set("loadBalancers", balancing)
}

func namesOf(machines []*Machine) (all []string) {
	for _, m := range machines {
		all = append(all, m.Name)
	}
	return all
}

// etcdConnection is how Pulumi connects as root: with the cluster of the program, if
// these are its members.
func (p *program) etcdConnection(b *block, name string, nodes []*node) {
	etcd := newBlock()
	hosts := nodes[0].hosts()
	i := slices.IndexFunc(p.etcd, func(r etcdResource) bool {
		if ca := firstOf(nodes[0].etcdCA); ca != "" && r.ca != "" && ca != r.ca {
			return false // another one at the same addresses, of another site
		}
		return slices.ContainsFunc(hosts, func(host string) bool {
			return slices.ContainsFunc(r.ips, func(ip string) bool { return strings.Trim(strings.TrimSuffix(host, ":2379"), "[]") == ip })
		})
	})
	etcd.note("As root: quorum makes a user of its own for Patroni, with a role for its keys. The modules' nodes log in as %s, and keep doing so.",
		orElse(nodes[0].conf.in("etcd3", "username").text(), "nobody"))
	password := Secret{Key: camel("etcd root password"), What: "password of etcd's user root", From: "not in the state", Shared: true}
	if i >= 0 {
		of := p.etcd[i]
		etcd.set("endpoints", reference(of.name+".endpoints"))
		etcd.set("caCert", reference(of.name+".caCert"))
		password.Key = camel(of.name, "root password")
		if !of.login {
			etcd.note("The cluster %s takes certificates only, with which Patroni cannot log in", of.name)
		}
	} else {
		etcd.set("endpoints", hosts)
		if len(hosts) == 0 {
			etcd.askList("endpoints", askedEndpoint(nodes[0].confFile+" has no etcd3.hosts"))
		}
		certs := certificates(nodes[0].etcdCA)
		if len(certs) == 0 {
			cert := askedCert("etcd's authority", "it is not in the user data of "+nodes[0].Address)
			cert.words = "etcd " + cert.words
			etcd.ask("caCert", cert)
		} else {
			etcd.set("caCert", asPEM(certs...))
		}
		password.Key = camel(name, password.Key)
	}
	etcd.set("username", "root")
	etcd.set("password", p.secrets.add(password))
	b.set("etcd", etcd)
}

func (p *program) postgresSettings(name string, nodes []*node) *block {
	b, first := newBlock(), nodes[0]
	version, differ := agree(nodes, (*node).version)
	noteDiffering(b, "version", differ)
	if version == "" {
		b.ask("version", asked{words: "version", what: "major version of PostgreSQL", why: first.confFile + ": neither bin_dir nor data_dir has it", example: "14"})
	}
	b.set("version", version)
	for _, each := range []struct{ input, role, what string }{
		{"superuserPassword", "superuser", "password of PostgreSQL's user postgres"},
		{"replicatorPassword", "replication", "password of the user by which nodes replicate"},
	} {
		login := first.conf.in("postgresql", "authentication", each.role)
		if user := login.in("username").text(); user != "" && user != map[string]string{"superuser": "postgres", "replication": "replicator"}[each.role] {
			b.note("The nodes' user for that is %s; quorum's has a name of its own", user)
		}
		if _, differ := agree(nodes, func(n *node) string {
			return n.conf.in("postgresql", "authentication", each.role, "password").text()
		}); len(differ) > 0 {
			noteDiffering(b, each.input, differ)
		}
		password, why := sure(login.in("password"))
		if password == "" && why == "" {
			why = "there is none"
		}
		b.set(each.input, p.secrets.add(Secret{
			Key: camel(name, strings.TrimSuffix(each.input, "Password"), "password"), What: each.what, From: from(first.confFile+", postgresql.authentication."+each.role, why), Value: password,
		}))
	}
	b.set("params", p.params(name, first))
	access(b, first)
	return b
}

// ours are parameters that the modules and quorum set themselves.
var ours = []string{"ssl", "ssl_cert_file", "ssl_key_file", "ssl_ca_file", "log_directory"}

// params are PostgreSQL's, as they were when the cluster was founded.
func (p *program) params(cluster string, n *node) *block {
	b := newBlock()
	all := n.conf.in("bootstrap", "dcs", "postgresql", "parameters")
	names := slices.DeleteFunc(all.keys(), func(name string) bool { return slices.Contains(ours, name) })
	known := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !check.Matches(`[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?`, name)
	})
	if len(known) > 0 {
		b.note("As they were when the cluster was founded: compare with `patronictl show-config`")
	}
	if odd := len(names) - len(known); odd > 0 {
		b.missing("params", "%s has %d whose names are none of PostgreSQL's parameters", n.confFile, odd)
	}
	for _, name := range known {
		value := all.in(name).text()
		switch {
		case b.get(name) != nil:
		case mayBeSecret(name, value):
			b.note("It may have a secret in it, so it is one")
			b.set(name, p.secrets.add(Secret{
				Key: camel(cluster, name), What: "PostgreSQL's parameter " + name + ", which may have a secret in it",
				From: n.confFile + ", bootstrap.dcs.postgresql.parameters." + name, Value: value,
			}))
		default:
			b.set(name, value)
		}
	}
	return b
}

// access tells of rules that are not the modules' two.
func access(b *block, n *node) {
	known := []string{"hostssl all all 0.0.0.0/0 scram-sha-256", "hostssl replication replicator 0.0.0.0/0 scram-sha-256"}
	others := 0
	for _, rule := range n.conf.in("postgresql", "pg_hba").texts() {
		if !slices.Contains(known, strings.Join(strings.Fields(rule), " ")) {
			others++
		}
	}
	if others > 0 {
		b.missing("access", "%s has %d other than the modules' two in pg_hba: not taken over", n.confFile, others)
	}
}
