package health

import (
	"cmp"
	"math"
	"slices"
)

// synchronous reports whether a node is a synchronous standby that streams.
func (v view) synchronous(name, leader string) bool {
	m := v.member(name)
	return m != nil && m.synchronous() && v.answers[name].State == running && v.streams(name, leader)
}

// leavingStandby is a synchronous standby that is none of the nodes asked, or "".
func (v view) leavingStandby() string {
	for _, m := range v.members() {
		if m.synchronous() && v.outside(m.Name) {
			return m.Name
		}
	}
	return ""
}

// standbys counts the synchronous standbys among nodes.
func (v view) standbys(nodes []Node, leader string) (count int) {
	for _, n := range nodes {
		if v.synchronous(n.Name, leader) {
			count++
		}
	}
	return count
}

// candidates are the nodes that may lead in place of the leader, the best
// first: those preferred, then the least behind.
func (v view) candidates(leader string, preferred []string, maximumLag int) []string {
	onlySynchronous := slices.ContainsFunc(v.members(), member.synchronous) // Patroni takes no other then
	var names []string
	for _, n := range v.nodes {
		m := v.member(n.Name)
		if n.Name != leader && v.faultOf(n.Name, leader, maximumLag) == "" && !m.Tags.NoFailover && (m.synchronous() || !onlySynchronous) {
			names = append(names, n.Name)
		}
	}
	rank := func(name string) int {
		if i := slices.Index(preferred, name); i >= 0 {
			return i
		}
		return math.MaxInt
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(v.lag(a, leader), v.lag(b, leader)))
	})
	return names
}
