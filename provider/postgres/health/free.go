package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// That a connection is taken is no sign of a machine: a firewall or proxy on the way may take all. What is seen speaks as
// PostgreSQL does, or as Patroni.

// speaks reports whether a PostgreSQL is at an endpoint, or a load balancer that connects to one.
func speaks(ctx context.Context, endpoint string) bool {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return false
	}
	defer connection.Close()
	end, _ := ctx.Deadline()
	answer := make([]byte, 1)
	if err = connection.SetDeadline(end); err == nil {
		_, err = connection.Write(sslRequest)
	}
	if err == nil {
		_, err = io.ReadFull(connection, answer)
	}
	return err == nil && strings.ContainsAny(string(answer), "SNE")
}

// elses says what is at the address of a node that is to be made, if that is a machine which this package has not made: also
// one whose PostgreSQL is stopped, by its node exporter. In a preview the certificate may not be there yet by which Patroni is
// asked.
func (a HealthArgs) elses(ctx context.Context, n Node) (what string) {
	if n.IP == "" {
		return ""
	}
	var postgres bool
	var all fault.Group
	all.Go(func() { postgres = speaks(ctx, ports.At(n.IP, ports.Postgres)) })
	all.Go(func() {
		c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
		if err != nil {
			return
		}
		switch s, err := c.status(ctx, n); {
		case err == nil && s.SystemID != "":
			what = fmt.Sprintf("Patroni, of the cluster %s (system id %s),", s.Patroni.Scope, s.SystemID)
		case err == nil:
			what = "Patroni"
		}
	})
	all.Wait()
	if what == "" && postgres {
		what = "PostgreSQL"
	}
	if !wait.IsOthers(ctx, n.IP, what != "") {
		return ""
	}
	return cmp.Or(what, "a node exporter")
}

// isFree refuses to make machines at addresses where somebody else's answer. Those of a cluster whose state was lost are
// of this package. Who was external before is asked when the others do without it.
func (a HealthArgs) isFree(ctx context.Context, before HealthState) error {
	if len(a.Plan.LoadBalancers) == 0 { // it is no gate of a PostgresCluster
		return nil
	}
	found := make([]error, len(a.Nodes)+len(a.Plan.LoadBalancers))
	isNew := len(before.Nodes) == 0
	var all fault.Group
	for i, n := range a.Nodes {
		if n.isExternal() || !isNew && slices.ContainsFunc(before.Nodes, func(was Node) bool { return was.IP == n.IP || was.Name == n.Name }) {
			continue
		}
		all.Go(func() {
			if what := a.elses(ctx, n); what != "" {
				found[i] = fmt.Errorf("%s: %s answers at %s, on a machine that this package has not made. A node of a cluster that is to be taken over needs external: true (docs/taking-over-postgres.md). If it is none, give %s another address",
					check.Index("nodes", i), what, n.IP, n.Name)
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
			if ip != "" && wait.IsOthers(ctx, ip, speaks(ctx, b.Endpoint)) {
				found[len(a.Nodes)+i] = fmt.Errorf("%s: a load balancer that this package has not made answers at %s. If its place is to be taken, shut it down and undefine it; as long as it serves, give external: true. Otherwise give the load balancer another address",
					check.Index("loadBalancers", i), b.Endpoint)
			}
		})
	}
	all.Wait()
	return errors.Join(found...)
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
	if n == nil {
		return nil
	}
	why := ", but no other node leads: clients wait from when it is shut down until the new one runs"
	if name, reason := g.last.leader(); reason == "" && name != n.Name {
		why = ": the others do without it (" + name + " leads)"
	}
	return g.mayMake(ctx, *n, why)
}

// MayMake refuses, right before the machine of the node Without is made, that another one is in its place, which may have been
// started again since the gate passed.
func (a HealthArgs) MayMake(ctx context.Context) error {
	i := slices.IndexFunc(a.Nodes, func(n Node) bool { return n.Name == *a.Without })
	if i < 0 || ptr.Value(a.SkipHealthChecks) {
		return nil
	}
	return a.mayMake(ctx, a.Nodes[i], "")
}

func (a HealthArgs) mayMake(ctx context.Context, n Node, why string) error {
	what := a.elses(ctx, n)
	if what == "" {
		return nil
	}
	return fmt.Errorf("the machine of %s can be made%s. Now %s still answers at %s, on a machine that this package has not made. "+
		"Shut it down and undefine it, and keep its disks; then the next `pulumi up` goes on. To leave it as it is, give it external: true", n.Name, why, what, n.IP)
}

// Others names the nodes that are to be made while somebody else's machines answer in their places.
func Others(ctx context.Context, a HealthArgs) (names []string) {
	found := make([]string, len(a.Nodes))
	var all fault.Group
	for i, n := range a.Nodes {
		if !n.isExternal() {
			all.Go(func() { found[i] = a.elses(ctx, n) })
		}
	}
	all.Wait()
	for i, n := range a.Nodes {
		if found[i] != "" {
			names = append(names, n.Name)
		}
	}
	return names
}
