package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/patroni"
)

// Decide has a plan updated while a node that left the program in an update
// before still answers: its guard may be gone, and its machine be yet to go.
func (Health) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	if nodes := nodesOf(req.State.Get("leaving")); len(nodes) > 0 {
		in := req.OldInputs
		c, err := newClient(text(in.Get("caCert")), text(in.Get("clientCert")), text(in.Get("clientKey")))
		if plan := in.Get("plan"); err == nil && plan.IsMap() && slices.Contains(c.there(ctx, text(plan.AsMap().Get("keys")), nodes), true) {
			changes["nodes"] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
		}
	}
	return p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
}

// leavers are the nodes that left the program, now or before. Those of before
// that still answer are asked about as their guards did, which may be gone; one
// that answers no more is forgotten.
func (a HealthArgs) leavers(ctx context.Context, before HealthState, preview bool) (all []Node, err error) {
	left := func(nodes []Node) []Node {
		return slices.DeleteFunc(slices.Clone(nodes), func(n Node) bool { return slices.Contains(nodeNames(a.Nodes), n.Name) })
	}
	known := left(before.Leaving)
	all = slices.DeleteFunc(left(before.Nodes), func(n Node) bool { return slices.Contains(nodeNames(known), n.Name) })
	if len(known) == 0 || *a.SkipHealthChecks {
		return append(all, known...), nil
	}
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if preview && err != nil { // certificates are not known yet
		return append(all, known...), nil
	} else if err != nil {
		return nil, err
	}
	there := c.there(ctx, value(a.Plan.Keys), known)
	if err := a.freed(known, there); err != nil || preview {
		return append(all, known...), err
	}
	for i, n := range known {
		if !there[i] {
			continue
		}
		g := &gate{HealthArgs: a.without(n), client: c, limit: guard.Limit}
		if _, err := g.wait(ctx); err != nil {
			return nil, fmt.Errorf("the machine of %s must not go now: %w", n.Name, err)
		}
		all = append(all, n)
	}
	return all, nil
}

// freed refuses that a node gets the address of one that left the program and answers
// still.
func (a HealthArgs) freed(left []Node, there []bool) error {
	for i, n := range left {
		at := slices.IndexFunc(a.Nodes, func(now Node) bool { return now.IP == n.IP && port(now) == port(n) })
		if there[i] && at >= 0 {
			return fmt.Errorf("%s.ip: must not be %s, which %s has: that left the program, and its machine answers still. Give %s another, or let an update without it end first, which deletes the machine",
				check.Index("nodes", at), n.IP, n.Name, a.Nodes[at].Name)
		}
	}
	return nil
}

// there tells which nodes answer as what they are in the cluster with those keys.
func (c client) there(ctx context.Context, keys string, nodes []Node) []bool {
	answers := make([]bool, len(nodes))
	var all fault.Group
	for i, n := range nodes {
		all.Go(func() {
			s, err := c.status(ctx, n)
			answers[i] = err == nil && (s.Patroni.Name == "" || s.Patroni.Name == n.Name && strings.HasSuffix(keys, "/"+s.Patroni.Scope+"/"))
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
		n, port := each.AsMap(), patroni.APIPort
		if given := n.Get("apiPort"); given.IsNumber() {
			port = int(given.AsNumber())
		}
		nodes = append(nodes, Node{Name: text(n.Get("name")), IP: text(n.Get("ip")), APIPort: &port})
	}
	return nodes
}

func text(v property.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return ""
}

func value(of *string) string {
	if of == nil {
		return ""
	}
	return *of
}
