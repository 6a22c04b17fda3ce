package fromterraform

import (
	"fmt"
	"slices"
	"strings"
)

// unassigned is a load balancer that is no cluster's, and why.
type unassigned struct {
	*balancer
	why string
}

// assign gives each cluster its load balancers. An authority may be that of several
// clusters: what HAProxy serves decides then.
func assign(balancers []*balancer, clusters [][]*node, names []string) (own [][]*balancer, others []unassigned) {
	own = make([][]*balancer, len(clusters))
	for _, b := range balancers {
		var trusts, serves []int
		for i, nodes := range clusters {
			if len(certificates(b.ca)) > 0 && !slices.ContainsFunc(nodes, func(n *node) bool { return sameCert(certificates(b.ca), certificates(n.ca)) }) {
				continue
			}
			trusts = append(trusts, i)
			if b.serves(nodes) {
				serves = append(serves, i)
			}
		}
		known := len(serves) == 0 && len(trusts) == 1 && len(b.servers) == 0 // there is no other that it could serve
		switch {
		case len(serves) == 1:
			own[serves[0]] = append(own[serves[0]], b)
		case known:
			own[trusts[0]] = append(own[trusts[0]], b)
		case len(trusts) == 0:
			others = append(others, unassigned{b, "a node with its authority is in none of the states"})
		default:
			if len(serves) == 0 {
				serves = trusts
			}
			var which []string
			for _, i := range serves {
				which = append(which, names[i])
			}
			others = append(others, unassigned{b, fmt.Sprintf("it may be of %s, which have its authority, going by what HAProxy serves: %s. If it is, write it among loadBalancers there instead, with external: true and its ip",
				strings.Join(which, " or "), orElse(strings.Join(append(b.servers, b.domain), " "), "nothing that is known"))})
		}
	}
	return own, others
}

// serves says whether its servers are nodes of a cluster, or its domain is one that their
// certificates name.
func (b *balancer) serves(nodes []*node) bool {
	return slices.ContainsFunc(nodes, func(n *node) bool {
		for _, cert := range certificates(n.server)[:min(1, len(certificates(n.server)))] {
			if b.domain != "" && slices.ContainsFunc(cert.DNSNames, func(name string) bool { return strings.EqualFold(name, b.domain) }) {
				return true
			}
		}
		return slices.Contains(b.servers, n.ip) || slices.ContainsFunc(n.addresses, func(ip string) bool { return slices.Contains(b.servers, ip) })
	})
}
