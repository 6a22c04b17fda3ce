package fromterraform

import (
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// etcdResource is an EtcdCluster of the program, for those that use it.
type etcdResource struct {
	name  string
	ips   []string
	login bool // its users have passwords
}

func (p *program) etcdClusters(clusters [][]*member) {
	slices.SortStableFunc(clusters, func(a, b []*member) int { return natural(a[0].Address, b[0].Address) })
	for _, members := range clusters {
		token := members[0].conf.in("initial-cluster-token").text()
		name := p.name("etcd", len(clusters) == 1, token)
		resource, properties := newBlock(), newBlock()
		resource.set("type", "quorum:EtcdCluster")
		p.etcdCluster(name, properties, members)
		p.guard(name, properties.node)
		resource.set("properties", properties)
		p.resources.set(name, resource)
	}
}

func (p *program) etcdCluster(name string, b *block, members []*member) {
	var machines []*Machine
	for _, m := range members {
		machines = append(machines, m.Machine)
	}
	p.host(b, name, machines)
	token, differ := agree(members, func(m *member) string { return m.conf.in("initial-cluster-token").text() })
	noteDiffering(b, "initialToken", differ)
	b.set("initialToken", token)
	settings, byCert := p.etcdSettings(members)
	b.set("etcd", settings)
	p.authority(b, name, "the members' authority", members[0].ca)
	all := p.peers(members)
	var ips []string
	for _, each := range all {
		ips = append(ips, each.ip)
	}
	b.set("certificate", certificate(members[0].server, append(ips, allAddresses(machines)...), nil))
	if !byCert {
		password, why := rootPasswordOf(members)
		b.set("rootPassword", p.secrets.add(Secret{Key: camel(name, "root password"), What: "password of etcd's user root", From: why, Value: password}))
	}
	if !slices.ContainsFunc(members, func(m *member) bool { return m.auth != "" }) {
		b.note("No machine in the state has the script that switches authentication on: it may be off. It stays as it is while a member is external.")
	}
	entries, blocks := p.memberEntries(all, members)
	p.shareBlocks(b, machines, blocks, len(entries))
	b.set("members", entries)
	p.etcd = append(p.etcd, etcdResource{name: name, ips: ips, login: !byCert})
}

// rootPasswordOf is what the one member's script has.
func rootPasswordOf(members []*member) (password, from string) {
	for _, m := range members {
		password, why := m.rootPassword()
		if password != "" {
			return password, m.at("/opt/bootstrap_auth.sh")
		}
		if from == "" || m.auth != "" {
			from = why
		}
	}
	return "", from
}

// peers are all members that any of them names, in their order.
func (p *program) peers(members []*member) (all []peer) {
	for _, m := range members {
		for _, each := range append(slices.Clone(m.peers), m.peer) {
			if each.name != "" && !slices.ContainsFunc(all, func(p peer) bool { return p.name == each.name }) {
				all = append(all, each)
			}
		}
	}
	return all
}

// memberEntries are the elements of members.
func (p *program) memberEntries(all []peer, members []*member) (entries, blocks []*block) {
	rest := slices.Clone(members)
	for _, each := range all {
		i := slices.IndexFunc(rest, func(m *member) bool { return m.name == each.name })
		if i < 0 {
			entry := newBlock()
			entry.note("The others' initial-cluster names it, but no machine in the state is known to be it: if it is gone, take it out")
			entry.set("name", each.name)
			entry.set("external", true)
			entry.set("ip", each.ip)
			entries = append(entries, entry)
			continue
		}
		entries, blocks = append(entries, p.entry(rest[i].Machine, each.name, each.ip, true)), append(blocks, rest[i].where)
		rest = slices.Delete(rest, i, i+1)
	}
	for _, m := range rest {
		entries, blocks = append(entries, p.entry(m.Machine, m.name, m.ip, true)), append(blocks, m.where)
	}
	return entries, blocks
}

// entry is an external machine of a cluster, with data or without.
func (p *program) entry(m *Machine, name, ip string, data bool) *block {
	entry := newBlock()
	entry.note("%s", m.Address)
	switch {
	case name == "":
		entry.note("The name is the machine's: what runs on it says none")
		name = m.Name
	case name != m.Name:
		entry.note("The machine itself is named %s", m.Name)
	}
	if reason := check.HostName(name); reason != "" {
		entry.note("The name %s", reason)
	}
	for _, problem := range m.problems {
		entry.note("%s", problem)
	}
	if data && m.where.get("dataVolumeId") == nil {
		m.where.missing("dataVolumeId", "%s has none: its data lie on its root disk. A new machine gets them from the others", m.Address)
	}
	if len(m.addresses) > 0 && ip != "" && !check.SameIP(m.addresses[0], ip) {
		entry.note("What runs on it has the address %s, which is not that of its first interface", ip)
	}
	entry.set("name", name)
	entry.set("external", true)
	if len(m.addresses) == 0 {
		entry.set("ip", ip)
	}
	entry.set(m.backend, m.where)
	p.uri(m)
	return entry
}

// shareBlocks writes once what all machines of a cluster have alike. A machine of which
// only the address is known must not get it.
func (p *program) shareBlocks(b *block, machines []*Machine, blocks []*block, entries int) {
	if len(blocks) != entries || slices.ContainsFunc(machines, func(m *Machine) bool { return m.backend != machines[0].backend }) {
		return
	}
	b.set(machines[0].backend, share(blocks, "uri", "vcpus", "memory", "domainType", "autostart", "cloudInitVolumePool", "volume",
		"flavorId", "imageId", "keypairName", "availabilityZone", "serverGroupId"))
}

// noteDiffering tells of machines that have another value than is written.
func noteDiffering[T interface{ address() string }](b *block, input string, differ []T) {
	if len(differ) == 0 {
		return
	}
	var who []string
	for _, each := range differ {
		who = append(who, each.address())
	}
	b.note("%s: another value is in %s", input, strings.Join(who, ", "))
}

func (m *Machine) address() string { return m.Address }

func allAddresses(machines []*Machine) (all []string) {
	for _, m := range machines {
		all = append(all, m.addresses...)
	}
	return all
}
