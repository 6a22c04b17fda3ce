package health

import (
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// A cluster that others have made is taken over one machine after the other. Its nodes are external
// until then: they count as all do, and the cluster must be there. While there is one, nothing is
// recorded of it, what the program does not name is left alone, and no gate passes because there is no
// leader yet.

func (n Node) isExternal() bool { return ptr.Value(n.External) }

// hasExternal reports whether any node is somebody else's machine.
func (a HealthArgs) hasExternal() bool { return slices.ContainsFunc(a.Nodes, Node.isExternal) }

// hasExternal reports whether any node was, before.
func (s HealthState) hasExternal() bool { return slices.ContainsFunc(s.Nodes, Node.isExternal) }

// isAllExternal reports whether all nodes are.
func (a HealthArgs) isAllExternal() bool {
	return !slices.ContainsFunc(a.Nodes, func(n Node) bool { return !n.isExternal() })
}

// isExternal reports whether the node with a name is.
func (g *gate) isExternal(name string) bool {
	n := g.named(name)
	return n != nil && n.isExternal()
}

// isStranger reports whether a member of a cluster that is taken over is none of the nodes, and never was one of
// ours: neither this update nor an earlier one removes it.
func (g *gate) isStranger(v view, name string) bool {
	former := slices.DeleteFunc(slices.Concat(g.old.Nodes, g.old.Leaving), Node.isExternal)
	return (g.hasExternal() || g.old.hasExternal()) && v.outside(name) && !slices.Contains(nodeNames(former), name)
}

// strangerLeads is why nothing changes while a node leads that the program does not name.
func strangerLeads(m member) error {
	return fmt.Errorf("%s leads the cluster, and is none of the nodes: %s", m.Name, asExternal(m))
}

// asExternal is what to write of a member that the program does not name.
func asExternal(m member) string {
	ip := "ADDRESS"
	if at, err := m.node(); err == nil {
		ip = at.IP
	}
	return fmt.Sprintf("add {name: %s, external: true, ip: %q} to nodes", m.Name, ip)
}

// ignoreNewPlan leaves out what gates of earlier releases did not have.
func ignoreNewPlan(before property.Map, changes map[string]p.PropertyDiff) {
	if plan := before.Get("plan"); !plan.IsMap() || !plan.AsMap().Get("loadBalancers").IsNull() {
		return
	}
	for path := range changes {
		if strings.HasPrefix(path, "plan.loadBalancers") {
			delete(changes, path)
		}
	}
}
