package health

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Swap is a change of configuration of a node's running machine. The node is
// Health.Without.
type Swap struct {
	Health               HealthArgs
	Restarts, Generation string        // that the machine is to have
	Joined               []string      // the nodes that the cluster has, as far as is known
	NeverSeen            bool          // no gate has seen the cluster: any node may be in it
	Limit                time.Duration // of a wait
}

// Ask waits until the others can do without the node, if the change may restart
// its Patroni: also if the gate before it passed in an earlier update. It may,
// unless the machine is known to have the same Restarts.
func (s Swap) Ask(ctx context.Context) error {
	g, err := newGate(ctx, s.Health, HealthState{}, false)
	if err != nil || g == nil {
		return err
	}
	if s.Limit > 0 {
		g.limit = s.Limit
	}
	v := g.client.look(ctx, g.Nodes)
	for range 2 { // perhaps no node answers just for a moment
		if v.record == nil && wait.Sleep(ctx, time.Second) {
			v = g.client.look(ctx, g.Nodes)
		}
	}
	if g.neverSeen = s.NeverSeen; s.NeverSeen {
		s.Joined = nodeNames(g.Nodes)
	}
	// A node that refuses connections is not the leader, and the new configuration may repair it.
	g.inCluster = slices.DeleteFunc(slices.Clone(s.Joined), func(name string) bool { return errors.Is(v.answers[name].err, syscall.ECONNREFUSED) })
	name := *s.Health.Without
	if v.paused() { // also if nothing restarts
		return fmt.Errorf("%s must not change now: %w", name, errPaused)
	}
	if !guest.Unchanged(v.record[name].Restarts, s.Restarts) {
		if _, err := g.wait(ctx); err != nil {
			return fmt.Errorf("%s must not restart now: %w", name, err)
		}
		v = g.last
		v.record = g.noted()
	}
	s.note(ctx, g, v)
	return nil
}

// note records that a node was out of the cluster before its configuration
// changed: later gates then do not wait for it.
func (s Swap) note(ctx context.Context, g *gate, v view) {
	leader := g.named(v.holder())
	if leader == nil || v.record == nil || !v.out(*s.Health.Without) {
		return
	}
	now := maps.Clone(v.record)
	is := now[*s.Health.Without]
	is.Out = s.Generation
	now[*s.Health.Without] = is
	if err := g.client.note(ctx, *leader, v.record, now); err != nil {
		p.GetLogger(ctx).Debugf("that %s is out of the cluster was not noted: %s", *s.Health.Without, err)
	}
}

// DefaultMaximumLag is how many bytes a node may be behind unless that is given.
func DefaultMaximumLag() *int { lag := defaultMaximumLag; return &lag }

// Out names the nodes that are out of the cluster: another node is the leader,
// and they do not stream from it. Without a leader there are none. A node that
// is out just for a moment is none either: another order than in the update
// before costs an update with --target an error of the engine.
func Out(ctx context.Context, a HealthArgs) []string {
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		return nil
	}
	names := nodeNames(a.Nodes)
	for begun := time.Now(); ; {
		v := c.look(ctx, a.Nodes)
		names = slices.DeleteFunc(names, func(name string) bool { return !v.out(name) })
		if len(names) == 0 || time.Since(begun) >= settleTime || !wait.Sleep(ctx, time.Second) {
			return names
		}
	}
}
