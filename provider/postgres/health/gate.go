package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// limit bounds the wait for nodes, which may have to boot, install their
// packages and copy all data.
const limit = 30 * time.Minute

// gate waits for what its inputs ask for.
type gate struct {
	HealthArgs
	old    HealthState
	client client
	limit  time.Duration // unless customTimeouts set a deadline

	last            view
	answered        map[string]sighting
	waiting         time.Time // since when
	ofArchive       string    // what is wrong with the stanza of a standby cluster
	freeStanza      *string   // that which had nobody's backups, now or when a gate looked first
	idleSince       time.Time // since when all nodes answer, and none of them founds the cluster
	ignored         []string  // nodes that were out of the cluster before, and still are: not waited for
	outSince        time.Time // since when the node is out of the cluster, as far as it was seen
	awaySince       time.Time // since when the load balancer connects to no node
	acted           bool      // whether the gate has changed something, which may be why a node is out
	warned          bool
	standbyChanges  int               // how often a synchronous standby was restarted so that another takes its place
	loses           bool              // whether the data of the node are deleted with its machine
	makes           bool              // whether the machine of the node Without is made after it, and none is replaced
	inCluster       []string          // the nodes that were in the cluster: used if no node reports its state
	neverSeen       bool              // no gate is known to have seen a leader of the cluster
	seenSystemID    string            // of the leader, once one was seen
	backup          backups           // as the leader tells
	leaderlessSince time.Time         // since when there is no leader, while no other node is known to be in the cluster
	restarts        restarts          // of PostgreSQL, as parameters wait for them
	at              func(Node) string // where PostgreSQL answers, if that is not port 5432
}

// sighting is the last answer of a node.
type sighting struct {
	status
	at time.Time
}

// other is the one node that the gate is about, or nil if it is about all.
func (g *gate) other() *string {
	if g.Without != nil {
		return g.Without
	}
	return g.Node
}

// othersHaveNoLeader reports whether the other nodes have no leader yet.
func (g *gate) othersHaveNoLeader(ctx context.Context) bool {
	others := slices.DeleteFunc(slices.Clone(g.Nodes), func(n Node) bool { return n.Name == *g.other() })
	return g.client.look(ctx, others).holder() == ""
}

// wait waits until nothing is missing, and returns what it saw then.
func (g *gate) wait(ctx context.Context) (HealthState, error) {
	g.answered, g.waiting = map[string]sighting{}, time.Now()
	var lines []string
	var failed error
	err := g.waits().Until(ctx, func(look context.Context) (string, error) {
		missing, next, err := g.look(look)
		if failed = err; look.Err() == nil || lines == nil { // a look that was cut off tells little
			lines = missing
		}
		if err == nil && len(missing) == 0 && look.Err() != nil {
			missing = []string{"timed out before all nodes answered"}
		}
		if err == nil && len(missing) == 0 && next != (action{}) {
			missing = []string{g.act(ctx, next)}
		}
		return strings.Join(missing, "\n"), err
	})
	switch {
	case failed != nil:
		return g.state(), failed
	case err != nil:
		return g.state(), errors.New(err.Error() + g.advice(lines) + wait.GoesOn(err, "nodes"))
	}
	g.restarts.tell(ctx)
	g.tellLag(ctx)
	g.warnOfIgnored(ctx)
	g.warnOfBackups(ctx)
	if err := g.sortAlike(ctx); err != nil {
		return g.state(), err
	}
	return g.passed(), g.note(ctx)
}

// look looks at everything once, and returns what is missing or, if nothing is,
// the next action.
func (g *gate) look(ctx context.Context) (missing []string, next action, err error) {
	var machines []string
	var failed error
	var all fault.Group
	all.Go(func() { machines, failed = g.machines(ctx) })
	g.last = g.client.look(ctx, g.Nodes)
	all.Wait()
	g.noteLeaderSeen(ctx)
	for name, a := range g.last.answers {
		if a.err == nil {
			g.answered[name] = sighting{a.status, time.Now()}
		}
	}
	g.findIgnored(g.last)
	g.noteOut(g.last)
	g.noteIdle(g.last)
	missing, next, err = g.judge(g.last)
	if err := errors.Join(failed, err); err != nil {
		return nil, action{}, err
	}
	g.warn(ctx)
	if leader, reason := g.last.leader(); g.Without != nil && reason == "" && g.last.record == nil {
		missing = append(missing, leader+": Patroni's dynamic configuration (/config), in which gates record the nodes, cannot be read")
	}
	missing = append(missing, g.withoutIgnored(machines)...)
	if len(missing) > 0 || next != (action{}) {
		return missing, next, nil
	}
	if missing = g.balancers(ctx); len(missing) == 0 {
		missing, err = g.backups(ctx)
	}
	if len(missing) == 0 && err == nil {
		err = g.isOutOfTheWay(ctx)
	}
	return missing, action{}, err
}

// named is the node with a name, or nil if it is none of those given.
func (g *gate) named(name string) *Node {
	if i := slices.IndexFunc(g.Nodes, func(n Node) bool { return n.Name == name }); i >= 0 {
		return &g.Nodes[i]
	}
	return nil
}

// isOfAll reports whether a gate is about all nodes: it is the last one of a
// cluster.
func (g *gate) isOfAll() bool {
	return g.Node == nil && g.Without == nil && g.OtherLoadBalancers == nil
}

// warn warns once of a scheduled switchover.
func (g *gate) warn(ctx context.Context) {
	if text := g.last.scheduled(); text != "" && !g.warned {
		p.GetLogger(ctx).Warning(text)
		g.warned = true
	}
}

// advice is what to do about what is still missing when the wait has timed out.
func (g *gate) advice(missing []string) string {
	var text strings.Builder
	var where []string
	for _, n := range g.Nodes {
		if !slices.ContainsFunc(missing, func(line string) bool { return strings.HasPrefix(line, n.Name+": ") }) {
			continue
		}
		where = append(where, n.IP)
		if seen, has := g.answered[n.Name]; has && g.last.answers[n.Name].err != nil {
			fmt.Fprintf(&text, " (%s was last seen %d s ago: %s)", n.Name, int(time.Since(seen.at).Seconds()), seen.status)
		}
	}
	text.WriteString(".")
	if len(where) > 0 {
		fmt.Fprintf(&text, " Look at it: `journalctl -u patroni` on %s.", strings.Join(where, ", "))
	}
	return text.String() + " "
}

// passed is the state of a gate that has passed, as the last look showed it.
func (g *gate) passed() HealthState {
	s := g.state()
	s.Leader = g.last.holder()
	for _, m := range g.last.members() {
		s.Members = append(s.Members, m.String())
	}
	s.Joined = g.joined(g.last)
	s.BackupTimes = g.backup.times()
	s.FreeStanza = g.freeStanza
	s.Timeline, s.SystemID = g.last.answers[s.Leader].Timeline, g.last.answers[s.Leader].SystemID
	return s
}
