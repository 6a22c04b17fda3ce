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
	ca    string
}

func (p *program) etcdClusters(clusters [][]*member) {
	slices.SortStableFunc(clusters, func(a, b []*member) int { return a[0].place - b[0].place })
	for _, members := range clusters {
		token := members[0].conf.in("initial-cluster-token").text()
		name := p.name("etcd", len(clusters) == 1, token)
		resource, properties := newBlock(), newBlock()
		resource.set("type", "quorum:EtcdCluster")
		p.etcdCluster(name, properties, members)
		p.answer(name, "", properties)
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
	_, differ = agree(members, func(m *member) string { return firstOf(m.ca) })
	noteDiffering(b, "ca", differ)
	_, differ = agree(members, func(m *member) string { return named(m.server) })
	noteDiffering(b, "certificate", differ)
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
	switch {
	case byCert: // the modules' own script never ends, with certificates
		b.note("Authentication is likely off, which `etcdctl auth status` tells: see docs/taking-over-etcd.md, Authentication that is off. It stays as it is while a member is external.")
	case !slices.ContainsFunc(members, func(m *member) bool { return m.auth != "" }):
		b.note("No machine in the state has the script that switches authentication on: it may be off. It stays as it is while a member is external.")
	}
	entries, blocks := p.memberEntries(name, all, members)
	p.shareBlocks(b, machines, blocks, len(entries))
	if slices.ContainsFunc(members, byName) {
		b.note("Peers or clients are known by names, not by addresses, which have to be changed first: see docs/taking-over-etcd.md, What you need")
	}
	if len(entries) < 3 {
		b.note("These are fewer than three members: the first update adds new ones, see docs/taking-over-etcd.md, What you need")
	}
	b.set("members", entries)
	p.etcd = append(p.etcd, etcdResource{name: name, ips: ips, login: !byCert, ca: firstOf(members[0].ca)})
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

// peers are all members that any of them names, in their order. Of its own address a member
// knows more than the others, which may have been made before it had it.
func (p *program) peers(members []*member) (all []peer) {
	for _, m := range members {
		for _, each := range append(slices.Clone(m.peers), m.peer) {
			if each.name != "" && !slices.ContainsFunc(all, func(p peer) bool { return p.name == each.name }) {
				if i := slices.IndexFunc(members, func(m *member) bool { return m.name == each.name && m.ip != "" }); i >= 0 {
					each = members[i].peer
				}
				all = append(all, each)
			}
		}
	}
	return all
}

// byName says whether others know a member by a name, or it them.
func byName(m *member) bool {
	return slices.ContainsFunc(append(slices.Clone(m.peers), m.peer), func(p peer) bool { return p.host != "" && !isIP(p.host) })
}

// memberEntries are the elements of members.
func (p *program) memberEntries(name string, all []peer, members []*member) (entries, blocks []*block) {
	add := func(entry, where *block) {
		entries = append(entries, entry)
		if where != nil {
			blocks = append(blocks, where)
		}
	}
	rest := slices.Clone(members)
	for _, each := range all {
		i := slices.IndexFunc(rest, func(m *member) bool { return m.name == each.name })
		if i < 0 {
			entry := newBlock()
			entry.note("The others' initial-cluster names it, but no machine in the state is known to be it: if it is gone, take it out")
			entry.set("name", each.name)
			entry.set("external", true)
			if each.ip != "" {
				entry.set("ip", each.ip)
			} else {
				entry.ask("ip", asked{words: "ip", what: "address", why: "the others know it by the name " + line(each.host), example: "10.0.0.5", own: true})
			}
			p.answer(name, each.name, entry)
			entries = append(entries, entry)
			continue
		}
		add(p.entry(name, rest[i].Machine, each.name, each.ip, true))
		rest = slices.Delete(rest, i, i+1)
	}
	for _, m := range rest {
		add(p.entry(name, m.Machine, m.name, m.ip, true))
	}
	return entries, blocks
}

// entry is an external machine of a cluster, with data or without, and where it is to be
// made, if it can be.
func (p *program) entry(resource string, m *Machine, name, ip string, data bool) (entry, where *block) {
	entry = newBlock()
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
	if data && m.where.get("dataVolumeId") == nil && m.disks < 2 {
		m.where.missing("dataVolumeId", "%s has none: its data lie on its root disk. A new machine gets them from the others", m.Address)
	}
	p.uri(m)
	leads := m.leads(ip)
	p.answer(resource, name, m.where)
	entry.set("name", name)
	entry.set("external", true)
	if leads {
		entry.set(m.backend, m.where)
		return entry, m.where
	}
	entry.set("ip", ip)
	entry.note("What runs on it has the address %s, which is not that of its first interface, as it must be of a machine that is made here. This is what the machine is like:", ip)
	if err := entry.commented(m.backend, m.where); err != nil {
		entry.note("%s", err)
	}
	return entry, nil
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
