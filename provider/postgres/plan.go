package postgres

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Plan is what an update is about to do to a cluster.
type Plan struct {
	Version   *string           `pulumi:"version,optional"`
	Authority *string           `pulumi:"authority,optional"`
	Rebuilds  map[string]string `pulumi:"rebuilds,optional"`
}

// mostAtOnce is how many nodes may change while nobody waits for any: data that
// was committed may be on no more than two.
const mostAtOnce = 1

// ValidateChange returns what would endanger the cluster in a step from before to a.
func (a HealthArgs) ValidateChange(before HealthArgs) []check.Problem {
	var l check.List
	old, now := nodeNames(before.Nodes), nodeNames(a.Nodes)
	if len(old) > 0 && !slices.ContainsFunc(old, func(name string) bool { return slices.Contains(now, name) }) {
		l.Add("nodes", "must keep one of %s at least: those that are new copy the data of one that stays", strings.Join(old, ", ")).Shape()
	}
	if a.Plan == nil || before.Plan == nil {
		return l
	}
	if was, is := before.Plan.Version, a.Plan.Version; was != nil && is != nil && *was != *is {
		l.Add("plan.version", "must stay %s, not be %s: PostgreSQL takes no data of another major version, and a major upgrade is not made", *was, *is)
	}
	if was, is := before.Plan.Authority, a.Plan.Authority; was != nil && is != nil && !*a.SkipHealthChecks {
		l.Check("plan.authority", check.AuthorityChange(*was, before.CACert, *is, a.CACert))
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(a.Plan.Rebuilds)) {
		if was, has := before.Plan.Rebuilds[name]; has && was != a.Plan.Rebuilds[name] {
			changed = append(changed, name)
		}
	}
	if *a.SkipHealthChecks && len(changed) > mostAtOnce {
		l.Add("skipHealthChecks", "must not be on while %s change: without waiting for each, at most %d node may change in an update",
			strings.Join(changed, ", "), mostAtOnce).Needing("plan.rebuilds")
	}
	return l
}

func nodeNames(nodes []Node) (names []string) {
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}
