package fromterraform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// group puts together what belongs to one cluster: what has the same label, and any of
// marks alike, directly or by way of others.
func group[T any](all []T, label func(T) string, marks func(T) []string) (groups [][]T) {
	for _, each := range all {
		joined := []T{each}
		groups = slices.DeleteFunc(groups, func(g []T) bool {
			if !slices.ContainsFunc(g, func(other T) bool { return label(other) == label(each) && overlap(marks(other), marks(each)) }) {
				return false
			}
			joined = append(slices.Clone(g), joined...)
			return true
		})
		groups = append(groups, joined)
	}
	return groups
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func etcdClusters(members []*member) [][]*member {
	return group(members,
		func(m *member) string { return m.conf.in("initial-cluster-token").text() },
		func(m *member) (marks []string) {
			for _, p := range append(m.peers, m.peer) {
				if at := orElse(p.ip, p.host); at != "" {
					marks = append(marks, p.name+"="+at)
				}
			}
			return marks
		})
}

func postgresClusters(nodes []*node) [][]*node {
	known := !slices.ContainsFunc(nodes, func(n *node) bool { return firstOf(n.ca) == "" })
	return group(nodes,
		func(n *node) string {
			authority := "" // two sites may have the same addresses, and the same names
			if known {
				authority = firstOf(n.ca)
			}
			return authority + strings.Trim(n.conf.in("namespace").text(), "/") + "/" + n.conf.in("scope").text()
		},
		func(n *node) []string { return append(n.hosts(), "the machine "+n.Address) })
}

// twice refuses machines of two states that are one by name and address.
func (p *program) twice(members []*member, nodes []*node) error {
	seen := map[string]*Machine{}
	look := func(kind, name, ip string, m *Machine) error {
		at := kind + " " + name + " at " + ip
		other := seen[at]
		seen[at] = m
		if other != nil && ip != "" && p.all[other.place].State != p.all[m.place].State {
			return fmt.Errorf("%s and %s are both %s: if these are two clusters, make a program of each state, else give that of today alone", line(other.Address), line(m.Address), line(at))
		}
		return nil
	}
	var errs []error
	for _, m := range members {
		errs = append(errs, look("etcd's member", m.name, m.ip, m.Machine))
	}
	for _, n := range nodes {
		errs = append(errs, look("the node", n.name, n.ip, n.Machine))
	}
	return errors.Join(errs...)
}

// names gives each of several clusters a name that no other resource has.
func (p *program) name(wish string, alone bool, label string) string {
	name := wish
	if label = hostname(label); !alone && strings.HasPrefix(label, wish) {
		name = label
	} else if !alone {
		name = hostname(wish + "-" + label)
	}
	for n, free := 2, name; ; n++ {
		if !slices.ContainsFunc(p.names, func(taken string) bool { return taken == free || camel(taken) == camel(free) }) {
			p.names = append(p.names, free)
			return free
		}
		free = name + "-" + digits(n)
	}
}

// agree is what all have alike; where they differ, it is what the first has, and who
// differs.
func agree[T any, V comparable](all []T, of func(T) V) (value V, differ []T) {
	for i, each := range all {
		switch v := of(each); {
		case i == 0:
			value = v
		case v != value:
			differ = append(differ, each)
		}
	}
	return value, differ
}
