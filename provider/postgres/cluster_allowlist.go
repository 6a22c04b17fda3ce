package postgres

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// warnOfAllowlist is of a list that lets everybody in, or shuts out the host that runs Pulumi,
// whose gates switch over and restart nodes.
func (a PostgresClusterArgs) warnOfAllowlist() check.List {
	var l check.List
	const path = "patroni.allowlist"
	list := a.Patroni.Allowlist
	l = append(l, check.EveryAddress(path, list)...)
	for i, n := range a.Nodes {
		if from := server.LocalAddress(n.backend().IP()); len(list) > 0 && !check.Covers(list, from) {
			l.Add(path, "does not include %s, the address from which Pulumi runs, unless NAT changes it: updates cannot switch over", from).
				Needing(check.Index("nodes", i))
			break
		}
	}
	return l
}
