package health

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// recordKey is the record's key in Patroni's dynamic configuration, which
// Patroni keeps in etcd, including settings that it does not know.
const recordKey = "quorum_nodes"

// record is what gates note of the nodes that were in the cluster, by name.
// Neither Patroni, which lists only members that run, nor the state of an
// update that failed half-way distinguishes a node that is unavailable from one
// that was never created. It is nil if it is not known.
type record map[string]noted

// noted is what is noted of a node.
type noted struct {
	// Restarts is Node.Restarts as of the last restart of its service.
	Restarts string `json:"restarts,omitempty"`
	// Out is the generation that its machine got while the node was out of the
	// cluster already.
	Out string `json:"out,omitempty"`
}

// pending is noted as Restarts of a node that is about to change: until a gate
// has seen the machine after that, it is not known which Restarts it has.
const pending = "pending"

// dynamic is what gates use of Patroni's dynamic configuration.
type dynamic struct {
	Nodes    record  `json:"quorum_nodes"`
	LoopWait float64 `json:"loop_wait"` // seconds

	SynchronousMode      any  `json:"synchronous_mode"` // true, or "quorum"
	SynchronousNodeCount *int `json:"synchronous_node_count"`
	Postgresql           struct{ Parameters map[string]any }

	// SystemIDs are those that the cluster has had, before and after major upgrades of PostgreSQL.
	SystemIDs []string `json:"quorum_system_ids"`
}

// dynamic reads it from a node, and so what gates have recorded: nil if it cannot be read.
// noConfig reports whether that is because Patroni has no configuration in etcd, as before the
// cluster is initialised: it answers 502 then.
func (c client) dynamic(ctx context.Context, n Node) (config dynamic, noConfig bool) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := c.call(ctx, n, http.MethodGet, "/config", nil, &config)
	var refused statusError
	switch {
	case err != nil:
		return dynamic{}, errors.As(err, &refused) && refused.code == http.StatusBadGateway
	case config.Nodes == nil:
		config.Nodes = record{}
	}
	return config, false
}

// note changes the record from old to now.
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
		case value[1] == value[0]:
		case value[1] != "":
			patch[key] = value[1]
		default:
			patch[key] = nil
		}
	}
	return patch
}

// note records which nodes are in the cluster, and that a node is about to
// change. A failure is an error only for the latter: otherwise the former
// record is still good.
func (g *gate) note(ctx context.Context) (err error) {
	leader := g.last.holder()
	asked, problem := g.address(leader)
	if leader == "" || problem != nil || g.last.record == nil || g.isAllExternal() && len(g.last.record) == 0 {
		return nil
	}
	if g.isAllExternal() { // again: the cluster's configuration is as it was
		if err := g.client.patch(ctx, asked, map[string]any{recordKey: nil}); err != nil && g.isOfAll() {
			p.GetLogger(ctx).Debugf("what was noted of nodes could not be taken out of Patroni's dynamic configuration: %s", err)
		}
		return nil
	}
	for range 3 { // a leader that just took over may be busy
		if err = g.client.note(ctx, asked, g.last.record, g.noted()); err == nil {
			return nil
		}
		if g.Without == nil || !wait.Sleep(ctx, time.Second) {
			break
		}
	}
	if g.Without == nil {
		p.GetLogger(ctx).Debugf("the nodes could not be recorded in Patroni's dynamic configuration: %s", err)
		return nil
	}
	return fmt.Errorf("the change of %s could not be recorded in Patroni's dynamic configuration: %w", *g.Without, err)
}

// noted is the record once a gate has passed: all healthy nodes that are not external and, of the
// last gate, none that were removed from the program.
func (g *gate) noted() record {
	now := maps.Clone(g.last.record)
	if now == nil {
		now = record{}
	}
	maps.DeleteFunc(now, func(name string, _ noted) bool {
		return (!slices.Contains(nodeNames(g.Nodes), name) || g.isExternal(name)) && g.isOfAll()
	})
	leader := g.last.holder()
	for _, n := range g.Nodes {
		if n.isExternal() || g.last.faultOf(n.Name, leader, *g.MaximumLag) != "" {
			continue
		}
		is := now[n.Name]
		is.Out = ""
		if n.Restarts != nil {
			is.Restarts = *n.Restarts
		}
		now[n.Name] = is
	}
	if g.Without != nil {
		if is, has := now[*g.Without]; has {
			is.Restarts = pending
			now[*g.Without] = is
		}
	}
	return now
}
