package change

import "slices"

// machines are all, as the program has them.
func (a ClusterArgs) machines() []string { return slices.Concat(a.Members, a.LoadBalancers) }

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
