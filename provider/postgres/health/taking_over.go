package health

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// takesOver returns what is wrong with a change after which machines are made in the places of external ones.
func (a HealthArgs) takesOver(before HealthArgs) check.List {
	var l check.List
	var names []string
	for i, n := range a.Nodes {
		was := slices.IndexFunc(before.Nodes, func(b Node) bool {
			return b.isExternal() && (b.Name == n.Name || n.IP != "" && check.SameIP(b.IP, n.IP))
		})
		if n.isExternal() || was < 0 {
			continue
		}
		names = append(names, n.Name)
		if is := before.Nodes[was].Name; is != n.Name {
			l.Add(check.Index("nodes", i)+".name", "must stay %s while the node at %s is taken over, not be %s. For another name, add a node with another address afterwards, and then remove this one", is, n.IP, n.Name)
		}
	}
	if len(names) > 1 {
		l.Add("nodes", "must not take over %s in one update: take out external of one node, and of the next when an update has ended with the one before", strings.Join(names, " and ")).Shape()
	}
	return l
}

// taken are the nodes that were external before, and are to be made.
func (g *gate) taken() (all []Node) {
	for _, n := range g.Nodes {
		if !n.isExternal() && slices.ContainsFunc(g.old.Nodes, func(was Node) bool { return was.isExternal() && was.Name == n.Name }) {
			all = append(all, n)
		}
	}
	return all
}

// isLast is what is wrong where no other node has the data of one that is taken over.
func (g *gate) isLast(leader string) error {
	for _, n := range g.taken() {
		others := slices.ContainsFunc(g.Nodes, func(other Node) bool {
			return other.Name != n.Name && g.last.member(other.Name) != nil && g.last.faultOf(other.Name, leader, *g.MaximumLag) == ""
		})
		if !others && !(guest.Loss{On: g.Plan.Volumes[n.Name]}).Stays() {
			return fmt.Errorf("%s is the only node that has the data, which its new machine would have to copy from another. Add a node first, in an update of its own; or have it go on with its data volume, by dataVolumeId", n.Name)
		}
	}
	return nil
}
