package health

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// machines says which machines have not applied their configuration yet.
func (g *gate) machines(ctx context.Context) (missing []string, err error) {
	type machine struct{ name, ip, generation string }
	var machines []machine
	for _, n := range g.Nodes {
		if n.Generation != nil && g.requiresHealthy(n.Name) {
			machines = append(machines, machine{n.Name, n.IP, *n.Generation})
		}
	}
	for _, b := range g.LoadBalancers {
		if ip, _, err := net.SplitHostPort(b.Endpoint); err == nil && b.Generation != nil {
			machines = append(machines, machine{ip, ip, *b.Generation})
		}
	}
	reasons, failures := make([]string, len(machines)), make([]error, len(machines))
	var all fault.Group
	for i, m := range machines {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			reasons[i], failures[i] = wait.Applied(ctx, m.ip, m.generation)
		})
	}
	all.Wait()
	for i, m := range machines {
		if reasons[i] != "" {
			missing = append(missing, m.name+": "+reasons[i])
		}
		if failures[i] != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", m.name, failures[i]))
		}
	}
	return missing, err
}

// waits is a wait for the nodes and load balancers.
func (g *gate) waits() wait.For {
	w := wait.For{Limit: g.limit}
	for _, n := range g.Nodes {
		w.Machines = append(w.Machines, wait.Machine{Name: n.Name, IP: n.IP, Port: *n.APIPort, RanBefore: g.ranBefore(n.Name)})
	}
	for _, b := range slices.Concat(g.LoadBalancers, g.OtherLoadBalancers) {
		if ip, port, err := net.SplitHostPort(b.Endpoint); err == nil {
			number, _ := strconv.Atoi(port) // 0 is none
			w.Machines = append(w.Machines, wait.Machine{Name: ip, IP: ip, Port: number, RanBefore: g.balancersRanBefore()})
		}
	}
	return w
}

// machineTrigger is the trigger with the id of the one machine that a gate is about. Those of gates of all machines are
// their names.
const machineTrigger = "machine"

// ranBefore reports whether a node is known to have run on the machine that it has now. A gate is told which machine is
// another since it passed last; machines that it is told nothing of are as another gate of this update left them.
func (g *gate) ranBefore(name string) bool {
	of := name
	if g.Node != nil && *g.Node == name {
		of = machineTrigger
	}
	same := func(trigger string) bool { return g.old.Triggers[trigger] == g.Triggers[trigger] }
	return slices.Contains(g.old.Joined, name) && same(of) && same(machineTrigger)
}

// balancersRanBefore reports the same of the load balancers, of which there is no telling which is another.
func (g *gate) balancersRanBefore() bool {
	ofOthers := func(triggers map[string]string) map[string]string {
		others := wait.Seen(triggers, "")
		maps.DeleteFunc(others, func(name, _ string) bool { return g.named(name) != nil })
		return others
	}
	if g.OtherLoadBalancers != nil { // it is before a change
		return len(g.old.Others) > 0
	}
	was, is := ofOthers(g.old.Triggers), ofOthers(g.Triggers)
	return len(is) > 0 && maps.Equal(was, is)
}

// requiresHealthy reports whether the gate requires that a node is healthy itself.
func (g *gate) requiresHealthy(name string) bool {
	return g.Without == nil && (g.Node == nil || *g.Node == name)
}
