package health

import (
	"context"
	"fmt"
	"path"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Decide has the last gate updated while a node that was removed from the
// program in an earlier update still answers: its guard may be gone, and its
// machine not yet.
func (Health) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	in := req.OldInputs
	noteClusterSeenBefore(ctx, req)
	noteLeader(ctx, req)
	notePlanBefore(ctx, req)
	ignoreNewPlan(in, changes)
	guard.Warn(ctx, endOfBackups(in, req.Inputs), guard.KeyGiven(in, req.Inputs, "backupId", "backup.stanza"), fenceOf(ctx, req.State))
	if isFailedState(req) {
		changes["nodes"] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
	}
	if cluster, is := lastGateOf(req); is {
		noteBalancers(ctx, req)
		// The engine also compares it before it deletes a guard.
		run.Note(ctx, run.Beside(ctx, cluster+"-plan"), func(now *joinedNodes) { *now = guard.Texts(req.State.Get("joined")) })
	}
	if nodes := nodesOf(req.State.Get("leaving")); len(nodes) > 0 && !in.Get("plan").IsMap() {
		c, err := newClient(guard.Text(in.Get("caCert")), guard.Text(in.Get("clientCert")), guard.Text(in.Get("clientKey")))
		if err == nil && slices.Contains(c.answering(ctx, "", nodes), true) {
			changes["nodes"] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
		}
	}
	return p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
}

// joinedNodes are those that the last gate of a cluster saw in it in the update before.
type joinedNodes []string

// left are the nodes that were removed from the program, in this update and in
// earlier ones. No update deletes the machine of one that was external.
func (a HealthArgs) left(before HealthState) (now, earlier []Node) {
	of := func(nodes []Node) []Node {
		return slices.DeleteFunc(slices.Clone(nodes), func(n Node) bool { return n.isExternal() || slices.Contains(nodeNames(a.Nodes), n.Name) })
	}
	earlier = of(before.Leaving)
	now = slices.DeleteFunc(of(before.Nodes), func(n Node) bool { return slices.Contains(nodeNames(earlier), n.Name) })
	return now, earlier
}

// leaving are the nodes that were removed from the program and whose machines may still exist:
// an update deletes them last, and may have failed before that. One that no longer answers is
// dropped. It refuses, also in a preview, to give the address of one that answers to another
// node.
func (a HealthArgs) leaving(ctx context.Context, before HealthState) ([]Node, error) {
	all, earlier := a.left(before)
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if len(earlier) == 0 || *a.SkipHealthChecks || err != nil { // in a preview, certificates may be unknown
		return append(all, earlier...), nil
	}
	for i, there := range c.answering(ctx, path.Base(ptr.Value(a.Plan.Keys)), earlier) {
		if !there {
			continue
		}
		n := earlier[i]
		if at := slices.IndexFunc(a.Nodes, func(now Node) bool { return now.IP == n.IP && port(now) == port(n) }); at >= 0 {
			return nil, fmt.Errorf("%s.ip: must not be %s, the address of %s: that one was removed from the program, but its machine still answers. Give %s another address, or first run an update without it, which deletes that machine",
				check.Index("nodes", at), n.IP, n.Name, a.Nodes[at].Name)
		}
		all = append(all, n)
	}
	return all, nil
}

// checkLeaving checks that the cluster can do without nodes that were removed in
// an earlier update and still answer, as their guards did, which may be gone.
func (g *gate) checkLeaving(ctx context.Context) (all []Node, err error) {
	all, earlier := g.left(g.old)
	for i, there := range g.client.answering(ctx, g.last.answers[g.last.holder()].Patroni.Scope, earlier) {
		if !there {
			continue
		}
		n := earlier[i]
		asks := &gate{HealthArgs: g.without(n), client: g.client, limit: guard.Limit}
		if _, err := asks.wait(ctx); err != nil {
			return nil, fmt.Errorf("the machine of %s cannot be deleted now: %w", n.Name, err)
		}
		all = append(all, n)
	}
	return all, nil
}

// answering reports which nodes answer under their own name in the cluster of a scope, or of any if
// that is "".
func (c client) answering(ctx context.Context, scope string, nodes []Node) []bool {
	answers := make([]bool, len(nodes))
	var all fault.Group
	for i, n := range nodes {
		all.Go(func() {
			s, err := c.status(ctx, n)
			answers[i] = err == nil && (s.Patroni.Name == "" || s.Patroni.Name == n.Name && (scope == "" || s.Patroni.Scope == scope))
		})
	}
	all.Wait()
	return answers
}

// nodesOf are the nodes of a state.
func nodesOf(v property.Value) (nodes []Node) {
	if !v.IsArray() {
		return nil
	}
	for _, each := range v.AsArray().All {
		if !each.IsMap() {
			continue
		}
		n, port := each.AsMap(), ports.Patroni
		if given := n.Get("apiPort"); given.IsNumber() {
			port = int(given.AsNumber())
		}
		nodes = append(nodes, Node{Name: guard.Text(n.Get("name")), IP: guard.Text(n.Get("ip")), APIPort: &port})
	}
	return nodes
}
