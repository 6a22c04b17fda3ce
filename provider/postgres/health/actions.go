package health

import (
	"context"
	"errors"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// wakePause is how long to wait before the leader is woken again, to look at
// its standbys.
const wakePause = 200 * time.Millisecond

// actLimit bounds a switchover or restart by a gate. Patroni answers when it is
// done, or gives up after its loop_wait, and 10 s at least.
const actLimit = time.Minute

// act takes the next action. It always returns something missing: whether the
// action worked, the next look shows.
func (g *gate) act(ctx context.Context, next action) (missing string) {
	g.acted = true
	ctx, cancel := context.WithTimeout(ctx, actLimit)
	defer cancel()
	switch {
	case next.applyRestart != "":
		return g.applyRestart(ctx, next.applyRestart)
	case next.changeStandby != "":
		return g.changeStandby(ctx, next.changeStandby)
	}
	return g.handOver(ctx, g.last.holder(), next.handOverTo)
}

// address is where a node answers: the address given or, without one, the one
// that the node reports.
func (g *gate) address(name string) (Node, error) {
	if n := g.named(name); n != nil {
		return *n, nil
	}
	if m := g.last.member(name); m != nil {
		return m.node()
	}
	return Node{}, fmt.Errorf("%s is not in the cluster", name)
}

// handOver makes another node the leader, by a switchover.
func (g *gate) handOver(ctx context.Context, leader, candidate string) (missing string) {
	p.GetLogger(ctx).InfoStatusf("waiting: %s hands over to %s", leader, candidate)
	asked, err := g.address(leader)
	if err == nil {
		err = g.client.switchover(ctx, asked, leader, candidate)
	}
	if g.appliesRestarts() {
		g.restarts.note(leader + " handed over to " + candidate)
	}
	if err != nil {
		return fmt.Sprintf("%s: is the leader, and did not hand over to %s: %s", leader, candidate, err)
	}
	return fmt.Sprintf("%s: took over from %s just now", candidate, leader)
}

// changeStandby makes the leader choose another synchronous standby, by a
// restart of the present one. If that one just stopped, commits would wait for
// it until its key in etcd expires, after a ttl. They wait during the restart
// too, but only until the leader is woken.
func (g *gate) changeStandby(ctx context.Context, name string) (missing string) {
	p.GetLogger(ctx).InfoStatusf("waiting: %s gives up its place as synchronous standby", name)
	g.standbyChanges++
	if err := g.restart(ctx, name, map[string]any{"role": "replica"}); err != nil {
		return fmt.Sprintf("%s: is a synchronous standby, and was not restarted: %s", name, err)
	}
	return name + ": gave up its place as synchronous standby just now"
}

// restart restarts the PostgreSQL of a node. Meanwhile it wakes the leader, if the node is a
// synchronous standby.
func (g *gate) restart(ctx context.Context, name string, filter map[string]any) error {
	node, err := g.address(name)
	leader, problem := g.address(g.last.holder())
	if err := errors.Join(err, problem); err != nil {
		return err
	}
	restarted := make(chan error, 1)
	go func() { restarted <- fault.Do(func() error { return g.client.restart(ctx, node, filter) }) }()
	for {
		select {
		case err := <-restarted:
			return err
		case <-time.After(wakePause):
			if m := g.last.member(name); m != nil && m.synchronous() {
				_ = g.client.wake(ctx, leader) // the next look tells
			}
		}
	}
}
