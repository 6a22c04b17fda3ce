package postgres

import (
	"context"
	"maps"
	"net/http"
	"slices"
)

// recordKey is where the record lies in Patroni's dynamic configuration, which
// it keeps in etcd. Patroni keeps settings there that it does not know.
const recordKey = "quorum_nodes"

// record is what gates note of nodes, by name: those that were in the cluster.
// Neither Patroni, whose members are those that run now, nor an update that
// failed half-way can tell a node that is away from one that was never made.
// It is nil where it is not known.
type record map[string]noted

// noted is what is noted of a node.
type noted struct {
	// Restarts is what its service was last restarted for.
	Restarts string `json:"restarts,omitempty"`
	// Out is the generation that its machine was handed while the node was out
	// of the cluster already.
	Out string `json:"out,omitempty"`
}

// record asks a node for what is noted: nil if it does not tell.
func (c client) record(ctx context.Context, n Node) record {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var config struct {
		Nodes record `json:"quorum_nodes"`
	}
	if _, err := c.call(ctx, n, http.MethodGet, "/config", nil, &config); err != nil {
		return nil
	}
	if config.Nodes == nil {
		return record{}
	}
	return config.Nodes
}

// note turns what is noted from old into now.
func (c client) note(ctx context.Context, n Node, old, now record) error {
	changes := map[string]any{}
	for name := range old {
		if _, stays := now[name]; !stays {
			changes[name] = nil
		}
	}
	for name, is := range now {
		if was, has := old[name]; !has || was != is {
			changes[name] = is.from(was)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := c.call(ctx, n, http.MethodPatch, "/config", map[string]any{recordKey: changes}, nil)
	return err
}

// from is the patch that turns what was noted into n: null removes.
func (n noted) from(was noted) map[string]any {
	patch := map[string]any{}
	for key, value := range map[string][2]string{"restarts": {was.Restarts, n.Restarts}, "out": {was.Out, n.Out}} {
		switch {
		case value[1] != "":
			patch[key] = value[1]
		case value[0] != "":
			patch[key] = nil
		}
	}
	return patch
}

// noted is the record once a gate has passed: all nodes that are well are in it
// and none that left the program.
func (g *gate) noted() record {
	now := maps.Clone(g.last.record)
	if now == nil {
		now = record{}
	}
	maps.DeleteFunc(now, func(name string, _ noted) bool { return !slices.Contains(nodeNames(g.Nodes), name) && g.isOfAll() })
	leader := g.last.holder()
	for _, n := range g.Nodes {
		if g.last.well(n.Name, leader, *g.MaximumLag) != "" {
			continue
		}
		is := now[n.Name]
		is.Out = ""
		if n.Restarts != nil {
			is.Restarts = *n.Restarts
		}
		now[n.Name] = is
	}
	return now
}
