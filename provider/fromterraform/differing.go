package fromterraform

import (
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
