package fromterraform

import (
	"strings"
)

// haproxy are HAProxy's settings, of the first load balancer.
func haproxy(balancers []*balancer) *block {
	b, first := newBlock(), balancers[0]
	if _, differ := agree(balancers, func(o *balancer) string {
		return strings.Join([]string{o.domain, o.slots, strings.Join(o.nameservers, " "), o.timeouts["client"], o.timeouts["connect"], o.timeouts["check"]}, "\n")
	}); len(differ) > 0 {
		noteDiffering(b, "haproxy", differ)
	}
	if first.registry {
		b.note("containerRegistry: the modules' was for a login only, and HAProxy came from Docker Hub. It is the distribution's here.")
	}
	if first.domain != "" {
		b.note("By DNS, as it was. Without these three the nodes' addresses are in its configuration.")
	}
	b.set("domain", first.domain)
	b.set("nameserverIps", first.nameservers)
	setNumber(b, "postgresNodesMaxCount", first.slots, first.confFile+", server-template")
	timeouts := newBlock()
	for _, each := range []struct{ input, name string }{{"connect", "connect"}, {"check", "check"}, {"idle", "client"}} {
		value := first.timeouts[each.name]
		if value != "" && strings.Trim(value, "0123456789") == "" {
			value += "ms" // HAProxy's unit, if there is none
		}
		timeouts.set(each.input, value)
	}
	b.set("timeouts", timeouts)
	return b
}

// balancer is a load balancer whose cluster is in no state, or is not known.
func (p *program) balancer(m *balancer, why string) {
	name := p.name(orElse(hostname(m.Name), "load-balancer"), true, "")
	b, resource := newBlock(), newBlock()
	p.host(b, name, []*Machine{m.Machine})
	b.set("haproxy", haproxy([]*balancer{m}))
	if certs := certificates(m.ca); len(certs) > 0 {
		b.set("caCert", asPEM(certs...))
	} else {
		b.ask("caCert", askedCert("PostgreSQL's authority", "it is not in the user data of "+m.Address))
	}
	p.standalone(name, resource, "PostgresLoadBalancer", b, m.Machine)
	p.later.note("%s: %s", m.Address, why)
	p.later.set(name, resource)
}

// standalone is a server that is in no cluster.
func (p *program) standalone(name string, resource *block, kind string, b *block, m *Machine) {
	for _, problem := range m.problems {
		b.note("%s", problem)
	}
	b.set("name", m.Name)
	p.uri(m)
	p.answer(name, m.Name, m.where)
	b.set(m.backend, m.where)
	p.answer(name, m.Name, b)
	p.guard(name, b.node)
	resource.set("type", "quorum:"+kind)
	resource.set("properties", b)
}
