package change

import (
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// machines are all, as the program has them.
func (a ClusterArgs) machines() []string {
	return slices.DeleteFunc(slices.Concat(a.Members, a.LoadBalancers), func(name string) bool { return slices.Contains(a.External, name) })
}

// inOrder are the machines as an update comes to them: members that are new first, since they do
// not answer, but for nodes where nobody asks.
func (a ClusterArgs) inOrder(happening machines) []string {
	members := slices.Clone(a.Members)
	if a.Service != patroniService || a.Settings["skipHealthChecks"] != "true" {
		slices.SortStableFunc(members, func(one, other string) int {
			switch first, second := happening[one].isNew, happening[other].isNew; {
			case first == second:
				return 0
			case first:
				return -1
			}
			return 1
		})
	}
	return slices.Concat(members, a.LoadBalancers)
}

// pace says how an update comes from one of n machines to the next. Gates let a data volume grow
// without a check, since nothing stops for that: see guest.Unchanged.
func (a ClusterArgs) pace(n, growing int, when tense) string {
	const inOrder = "in this order (machines that do not answer first), "
	switch {
	case n == 1:
		return when.of("this machine changes:", "this machine changed:")
	case growing == n:
		return when.of(inOrder+"with no check whether the cluster is healthy in between, since nothing stops:", "one after the other:")
	case a.Settings["skipHealthChecks"] == "true":
		return "in this order, with no check whether the cluster is healthy in between (skipHealthChecks):"
	case growing > 0:
		return when.of(inOrder+"the next one only when the cluster is healthy again, unless only its data volume grows:",
			"one after the other, each when the cluster was healthy, unless only its data volume grew:")
	}
	return when.of(inOrder+"the next one only when the cluster is healthy again:", "one after the other, each when the cluster was healthy:")
}

// growing are how many machines have a data volume that grows, and nothing else.
func (m machines) growing() (n int) {
	for _, what := range m {
		if slices.Equal(what.lines, []string{guest.DataGrows}) {
			n++
		}
	}
	return n
}

// moved says that machines are in another order, by which no setting changes.
func (a ClusterArgs) moved(before ClusterArgs) (lines []string) {
	members := "members"
	if a.Service == patroniService {
		members = "nodes"
	}
	for _, list := range []struct {
		path     string
		was, now []string
	}{{members, before.Members, a.Members}, {"loadBalancers", before.LoadBalancers, a.LoadBalancers}} {
		if !slices.Equal(list.was, list.now) && slices.Equal(slices.Sorted(slices.Values(list.was)), slices.Sorted(slices.Values(list.now))) {
			lines = append(lines, list.path+": in another order: "+few(list.now))
		}
	}
	return lines
}
