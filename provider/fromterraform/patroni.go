package fromterraform

import (
	"strings"
)

// patroni are Patroni's settings: what is in etcd was taken from there when the cluster
// was founded, and may have been changed since.
func (p *program) patroni(nodes []*node) *block {
	b, first := newBlock(), nodes[0]
	dcs := func(name string) section { return first.conf.in("bootstrap", "dcs", name) }
	number := func(input, name string) {
		setNumber(b, input, dcs(name).text(), first.confFile+", bootstrap.dcs."+name)
	}
	if scope := first.conf.in("scope").text(); scope != "" {
		b.set("scope", scope)
	} else {
		b.ask("scope", asked{words: "scope", what: "scope of Patroni", why: first.confFile + " has none", example: "main"})
	}
	if namespace := first.conf.in("namespace").text(); namespace != "" {
		b.set("namespace", "/"+strings.TrimLeft(namespace, "/"))
	}
	if first.conf.in("bootstrap", "dcs").node != nil {
		b.note("As it was when the cluster was founded: compare with `patronictl show-config`")
	} else {
		b.missing("ttl and others", "%s has no bootstrap.dcs", first.confFile)
	}
	number("ttl", "ttl")
	number("loopWait", "loop_wait")
	number("retryTimeout", "retry_timeout")
	primary := func(input, name string) {
		if dcs("primary_"+name).node != nil {
			number(input, "primary_"+name)
		} else {
			number(input, "master_"+name)
		}
	}
	primary("primaryStartTimeout", "start_timeout")
	primary("primaryStopTimeout", "stop_timeout")
	p.replication(b, first)
	if rewind, known := first.conf.in("bootstrap", "dcs", "postgresql", "use_pg_rewind").truth(); known {
		b.set("usePgRewind", rewind)
	}
	watchdog := first.conf.in("watchdog")
	b.set("watchdogMode", watchdog.in("mode").text())
	setNumber(b, "watchdogSafetyMargin", watchdog.in("safety_margin").text(), first.confFile+", watchdog.safety_margin")
	return b
}

// replication is synchronous, or not.
func (p *program) replication(b *block, n *node) {
	dcs := n.conf.in("bootstrap", "dcs")
	synchronous, known := dcs.in("synchronous_mode").truth()
	if !known {
		b.missing("isSynchronous", "%s, bootstrap.dcs.synchronous_mode is neither true nor false", n.confFile)
		return
	}
	b.set("isSynchronous", synchronous)
	settings := newBlock()
	if !synchronous {
		setNumber(settings, "maximumLagOnFailover", dcs.in("maximum_lag_on_failover").text(), n.confFile)
		b.set("asynchronousSettings", settings)
		return
	}
	if strict, known := dcs.in("synchronous_mode_strict").truth(); known {
		settings.set("strict", strict)
	}
	setNumber(settings, "synchronousNodeCount", dcs.in("synchronous_node_count").text(), n.confFile)
	b.set("synchronousSettings", settings)
}
