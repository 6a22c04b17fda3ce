package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// restartGate ends the name of the gate of a cluster that restarts PostgreSQL.
const restartGate = "-restarted"

// defaultLoopWait is Patroni's.
const defaultLoopWait = 10 * time.Second

// restarts are those of PostgreSQL that a gate made, as parameters wait for them.
type restarts struct {
	made map[string]int // by node, since the leader has what it waited for
	did  []string       // in words

	refused string // the node that was restarted last, if Patroni says that it failed
	why     string
	since   time.Time
}

func (r *restarts) note(what string) { r.did = append(r.did, what) }

// tell says what was done.
func (r *restarts) tell(ctx context.Context) {
	if len(r.did) > 0 {
		p.GetLogger(ctx).Info("PostgreSQL took what waited for a restart: " + strings.Join(r.did, ", then "))
	}
}

// failed says that a node does not run after its restart: Patroni goes on trying, for nothing if
// what PostgreSQL was given is at fault.
func (r *restarts) failed(v view) error {
	a := v.answers[r.refused]
	if r.refused == "" || a.err == nil && a.State == running || time.Since(r.since) < grace {
		return nil
	}
	ip := r.refused
	if i := slices.IndexFunc(v.nodes, func(n Node) bool { return n.Name == r.refused }); i >= 0 {
		ip = v.nodes[i].IP
	}
	return fmt.Errorf("%s: PostgreSQL does not start with what it waited for a restart for: %s. No other node was restarted after it. PostgreSQL's log says why: `journalctl -u patroni` on %s. "+
		"Take back in the program what it cannot start with, or give the machine what it needs; then the next `pulumi up` continues here", r.refused, r.why, ip)
}

func (g *gate) appliesRestarts() bool { return ptr.Value(g.ApplyRestarts) }

// applyRestarts says which node's PostgreSQL is to be restarted next, or to hand over before.
func (g *gate) applyRestarts(v view, leader string) (missing []string, next action, err error) {
	waiting := v.waiting()
	if len(waiting) == 0 {
		return g.settling(v), next, nil
	}
	leaderWaits := slices.Contains(waiting, leader)
	for _, name := range waiting {
		most := mostRestarts
		if leaderWaits { // it may be what the replica waits for
			most = 1
		}
		if name != leader && g.restarts.made[name] < most && (!leaderWaits || !v.answers[name].isHeldBack()) {
			return g.restartNow(v, leader, name)
		}
	}
	if !leaderWaits || g.restarts.made[leader] == mostRestarts {
		return nil, next, fmt.Errorf("%s, although PostgreSQL was restarted there. `sudo patronictl -c /etc/patroni/conf.yml list` on a node shows what Patroni waits for", strings.Join(v.waitForRestarts(), "\n"))
	}
	candidates := v.candidates(leader, nil, *g.MaximumLag)
	free := slices.DeleteFunc(slices.Clone(candidates), func(name string) bool { return slices.Contains(waiting, name) })
	if len(free) == 0 && (len(candidates) > 0 || len(g.Nodes) == 1) {
		return g.restartNow(v, leader, leader)
	}
	if missing := g.lackFor(v, leader, leader); missing != nil {
		return missing, next, nil
	}
	return g.switchOver(v, leader, free)
}

func (g *gate) restartNow(v view, leader, name string) (missing []string, next action, err error) {
	if missing := g.lackFor(v, leader, name); missing != nil {
		return missing, next, nil
	}
	return nil, action{applyRestart: name}, nil
}

// lackFor is what is missing among the others for a node to restart: as many as when it changes,
// and no node on which PostgreSQL does not run although the machine does. It may not have started
// with what the others would be restarted for.
func (g *gate) lackFor(v view, leader, name string) (missing []string) {
	others, fails := 0, false
	for _, n := range g.Nodes {
		if n.Name == name || !g.isInCluster(v, n.Name) {
			continue
		}
		others++
		if line := v.faultOf(n.Name, leader, *g.MaximumLag); line != "" {
			missing, fails = append(missing, line), fails || v.answers[n.Name].err == nil
		}
	}
	if fails || others-len(missing) < min(others, 1+max(1, *g.SynchronousStandbys)) {
		return missing
	}
	return nil
}

// settling waits until all nodes have looked at settings that were handed out just now: before
// that they do not know whether these need a restart.
func (g *gate) settling(v view) (missing []string) {
	every := cmp.Or(v.loopWait, defaultLoopWait)
	if g.hasGenerationsOf(g.old.Nodes) || time.Since(g.waiting) > every+settleTime {
		return nil
	}
	return []string{fmt.Sprintf("whether the settings need a restart of PostgreSQL is not known yet: nodes look at them every %s", every)}
}

// hasGenerationsOf reports whether the machines are to have the configurations that they had.
func (g *gate) hasGenerationsOf(before []Node) bool {
	return !slices.ContainsFunc(g.Nodes, func(n Node) bool {
		return n.Generation == nil || !slices.ContainsFunc(before, func(b Node) bool {
			return b.Name == n.Name && b.Generation != nil && *b.Generation == *n.Generation
		})
	})
}

// applyRestart restarts the PostgreSQL of a node that waits for it.
func (g *gate) applyRestart(ctx context.Context, name string) (missing string) {
	what := name + g.last.answers[name].why()
	p.GetLogger(ctx).InfoStatusf("waiting: PostgreSQL restarts on %s", what)
	r, filter := &g.restarts, map[string]any{"restart_pending": true}
	if name == g.last.holder() {
		r.made = map[string]int{name: r.made[name]}
		what += ", the leader"
	} else {
		filter["role"] = "replica" // it may lead by now
	}
	if r.made == nil {
		r.made = map[string]int{}
	}
	r.made[name]++
	r.refused = ""
	err := g.restart(ctx, name, filter)
	if err == nil {
		r.note(what)
		return name + ": PostgreSQL was restarted just now"
	}
	var refused statusError
	if errors.As(err, &refused) {
		r.refused, r.why, r.since = name, err.Error(), time.Now()
	}
	return fmt.Sprintf("%s: PostgreSQL was not restarted: %s", name, err)
}

// noteLeader notes for previews who led when gates of all nodes looked last. Not all of them look in
// each update: that of the highest timeline was the last one.
func noteLeader(ctx context.Context, req p.DiffRequest) {
	name, timeline := guard.Text(req.State.Get("leader")), req.State.Get("timeline")
	for _, suffix := range []string{lastGate, restartGate} {
		if cluster, is := strings.CutSuffix(req.Urn.Name(), suffix); is && name != "" && timeline.IsNumber() {
			run.Note(ctx, run.Beside(ctx, cluster), func(now *run.Leader) {
				if timeline.AsNumber() >= now.Timeline {
					*now = run.Leader{Name: name, Timeline: timeline.AsNumber()}
				}
			})
		}
	}
}
