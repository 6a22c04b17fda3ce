package postgres

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// counts requires room for all nodes: among the servers that HAProxy looks up, and for the
// connections and slots by which they follow the leader.
func (a PostgresClusterArgs) counts() check.List {
	var l check.List
	n := len(a.Nodes)
	if h := a.Haproxy; h != nil && h.PostgresNodesMaxCount != nil && *h.PostgresNodesMaxCount > 0 && *h.PostgresNodesMaxCount < n {
		l.Add("haproxy.postgresNodesMaxCount", "must be the number of nodes (%d) or more, not %d: the other nodes would get no connections", n, *h.PostgresNodesMaxCount).
			Needing("nodes").Shape()
	}
	params := ptr.Value(a.Postgres).Params
	for _, name := range slices.Sorted(maps.Keys(params)) {
		switch strings.ToLower(name) {
		case "max_wal_senders", "max_replication_slots":
			if most, err := strconv.Atoi(params[name]); err == nil && most < n-1 {
				l.Add(check.Join("postgres.params", name), "must be %d or more, not %d: each node but the leader needs one", n-1, most).Needing("nodes")
			}
		}
	}
	return l
}
