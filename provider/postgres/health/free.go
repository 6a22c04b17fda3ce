package health

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync/atomic"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// answersAt reports whether anything takes connections at one of some addresses with their ports.
func answersAt(ctx context.Context, addresses ...string) bool {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var found atomic.Bool
	var all fault.Group
	for _, address := range addresses {
		all.Go(func() {
			if connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address); err == nil {
				_ = connection.Close()
				found.Store(true)
			}
		})
	}
	all.Wait()
	return found.Load()
}

// isElses reports whether a machine at ip answers that this package has not made.
func isElses(ctx context.Context, ip string, addresses ...string) bool {
	return ip != "" && answersAt(ctx, addresses...) && !wait.IsOurs(ctx, ip)
}

func (n Node) isElses(ctx context.Context) bool {
	return isElses(ctx, n.IP, ports.At(n.IP, port(n)), ports.At(n.IP, ports.Postgres))
}

// isFree refuses to make machines at addresses where somebody else's answer. Those of a cluster whose state was lost are
// of this package. Who was external before is asked when the others do without it.
func (a HealthArgs) isFree(ctx context.Context, before HealthState) error {
	found := make([]error, len(a.Nodes)+len(a.Plan.LoadBalancers))
	isNew := len(before.Nodes) == 0
	var all fault.Group
	for i, n := range a.Nodes {
		if n.isExternal() || !isNew && slices.ContainsFunc(before.Nodes, func(was Node) bool { return was.IP == n.IP || was.Name == n.Name }) {
			continue
		}
		all.Go(func() {
			if n.isElses(ctx) {
				found[i] = fmt.Errorf("%s: %s answers at %s. A node of a cluster that is to be taken over needs external: true (docs/postgres-cluster.md, \"Take over a cluster that is there\"). If it is none, give %s another address",
					check.Index("nodes", i), a.elses(ctx, n), n.IP, n.Name)
			}
		})
	}
	for i, b := range a.Plan.LoadBalancers {
		ip, _, err := net.SplitHostPort(b.Endpoint)
		same := func(was LoadBalancer) bool { return was.Endpoint == b.Endpoint && !ptr.Value(was.External) }
		if err != nil || ptr.Value(b.External) || !isNew && (len(before.Others) == 0 || slices.ContainsFunc(before.Others, same)) {
			continue // an earlier release did not note them
		}
		all.Go(func() {
			if isElses(ctx, ip, b.Endpoint) {
				found[len(a.Nodes)+i] = fmt.Errorf("%s: a machine that this package has not made answers at %s. If its place is to be taken, shut it down and undefine it; as long as it serves, give external: true. Otherwise give the load balancer another address",
					check.Index("loadBalancers", i), b.Endpoint)
			}
		})
	}
	all.Wait()
	return errors.Join(found...)
}

// elses says what answers at the address of a node that is to be made.
func (a HealthArgs) elses(ctx context.Context, n Node) string {
	text := "a machine that this package has not made"
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		return text
	}
	switch s, err := c.status(ctx, n); {
	case err != nil:
		return fmt.Sprintf("%s (its Patroni: %s)", text, err)
	case s.SystemID != "":
		return fmt.Sprintf("%s, with data of the cluster %s (system id %s),", text, s.Patroni.Scope, s.SystemID)
	}
	return text
}

// isBeforeMachine reports whether the gate is the one of a cluster in front of the machine of a node.
func (a HealthArgs) isBeforeMachine() bool {
	_, is := a.Triggers[RebuildsTrigger]
	return is && a.Without != nil
}

// isOutOfTheWay requires of the machine in whose place another one is to be made that it is gone. The others do without it.
func (g *gate) isOutOfTheWay(ctx context.Context) error {
	if !g.makes {
		return nil
	}
	n := g.named(*g.Without)
	if n == nil || !n.isElses(ctx) {
		return nil
	}
	leader := ""
	if name, reason := g.last.leader(); reason == "" && name != n.Name {
		leader = " (" + name + " leads)"
	}
	return fmt.Errorf("the machine of %s can be made: the others do without it%s. But another machine, which this package has not made, still answers at %s. "+
		"Shut it down and undefine it, and keep its disks; then the next `pulumi up` goes on. To leave it as it is, give it external: true", n.Name, leader, n.IP)
}
