package fromterraform

import (
	"net"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// What nodes may have each otherwise, as texts to be compared.

// settings are those of Patroni that a program has.
func (n *node) settings() string {
	dcs := n.conf.in("bootstrap", "dcs")
	var all []string
	for _, key := range dcs.keys() {
		if key != "postgresql" {
			all = append(all, key+": "+written(dcs.in(key)))
		}
	}
	slices.Sort(all)
	return strings.Join(append(all, dcs.in("postgresql", "use_pg_rewind").text(), written(n.conf.in("watchdog"))), "\n")
}

// parameters are PostgreSQL's.
func (n *node) parameters() string {
	return written(n.conf.in("bootstrap", "dcs", "postgresql", "parameters"))
}

func written(s section) string {
	if s.node == nil {
		return ""
	}
	text, err := yaml.Marshal(s.node)
	if err != nil {
		return s.text()
	}
	return string(text)
}

// firstOf is the first certificate of a text.
func firstOf(text string) string {
	certs := certificates(text)
	if len(certs) == 0 {
		return ""
	}
	return asPEM(certs[0])
}

// named is what a certificate says that a program has: names and the organization. Its
// addresses are those of the machines, one in each or all in all.
func named(text string) string {
	certs := certificates(text)
	if len(certs) == 0 {
		return ""
	}
	names := slices.DeleteFunc(slices.Clone(certs[0].DNSNames), isIP)
	slices.Sort(names)
	return organization(certs[0]) + "\n" + strings.Join(names, "\n")
}

// unfit is what nodes have otherwise than external ones must have it.
func unfit(nodes []*node) (all []string) {
	for _, n := range nodes {
		at := n.conf.in("restapi", "connect_address").text()
		if _, port, err := net.SplitHostPort(at); at != "" && (err != nil || port != "4443") {
			all = append(all, "Patroni's REST API of "+n.Address+" is not on port 4443")
		}
		if n.conf.in("restapi").node != nil && n.conf.in("restapi", "certfile").text() == "" {
			all = append(all, "Patroni's REST API of "+n.Address+" has no TLS")
		}
		if n.conf.in("etcd3").node == nil && n.conf.node != nil {
			all = append(all, "Patroni of "+n.Address+" does not use etcd3, etcd's API of version 3")
		}
	}
	return all
}
