package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

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

	last     view
	answered map[string]sighting
	warned   bool
	relieved int // times
}

// sighting is the last answer of a node.
type sighting struct {
	status
	at time.Time
}

// other is the one node of a gate that is not of all.
func (g *gate) other() *string {
	if g.Without != nil {
		return g.Without
	}
	return g.Node
}

// early reports whether the other nodes are not a cluster yet.
func (g *gate) early(ctx context.Context) bool {
	others := slices.DeleteFunc(slices.Clone(g.Nodes), func(n Node) bool { return n.Name == *g.other() })
	return g.client.look(ctx, others).holder() == ""
}

// wait returns what it saw when all was well.
func (g *gate) wait(ctx context.Context) (HealthState, error) {
	g.answered = map[string]sighting{}
	var lines []string
	var failed error
	err := wait.Until(ctx, limit, func(ctx context.Context) (string, error) {
		missing, err := g.look(ctx)
		if failed = err; ctx.Err() == nil || lines == nil { // a look that was cut off tells little
			lines = missing
		}
		return strings.Join(missing, "\n"), err
	})
	switch {
	case failed != nil:
		return g.state(), failed
	case err != nil:
		return g.state(), errors.New(err.Error() + g.advice(lines))
	}
	return g.passed(), nil
}

// look is one look at all that is waited for; it hands leadership over when
// that is next.
func (g *gate) look(ctx context.Context) (missing []string, err error) {
	machines, failed := g.machines(ctx)
	g.last = g.client.look(ctx, g.Nodes)
	for name, a := range g.last.answers {
		if a.err == nil {
			g.answered[name] = sighting{a.status, time.Now()}
		}
	}
	missing, next, err := g.judge(g.last)
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}
	g.warn(ctx)
	missing = append(missing, machines...)
	switch {
	case len(missing) > 0:
		return missing, nil
	case next.handOverTo != "":
		return []string{g.handOver(ctx, next.handOverTo)}, nil
	case next.relieve:
		return []string{g.relieve(ctx)}, nil
	}
	return append(g.balancers(ctx), g.otherBalancers(ctx)...), nil
}

func (g *gate) named(name string) Node {
	return g.Nodes[slices.IndexFunc(g.Nodes, func(n Node) bool { return n.Name == name })]
}

// machines says which have not taken up yet what they are to be.
func (g *gate) machines(ctx context.Context) (missing []string, err error) {
	type machine struct{ name, ip, generation string }
	var machines []machine
	for _, n := range g.Nodes {
		if n.Generation != nil && g.asked(n.Name) {
			machines = append(machines, machine{n.Name, n.IP, *n.Generation})
		}
	}
	for _, b := range g.LoadBalancers {
		if ip, _, err := net.SplitHostPort(b.Endpoint); err == nil && b.Generation != nil {
			machines = append(machines, machine{ip, ip, *b.Generation})
		}
	}
	reasons, failures := make([]string, len(machines)), make([]error, len(machines))
	var all sync.WaitGroup
	for i, m := range machines {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			reasons[i], failures[i] = wait.Applied(ctx, m.ip, m.generation)
		})
	}
	all.Wait()
	for i, m := range machines {
		if reasons[i] != "" {
			missing = append(missing, m.name+": "+reasons[i])
		}
		if failures[i] != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", m.name, failures[i]))
		}
	}
	return missing, err
}

// asked reports whether a node is to be well itself.
func (g *gate) asked(name string) bool {
	return g.Without == nil && (g.Node == nil || *g.Node == name)
}

func (g *gate) balancers(ctx context.Context) (missing []string) {
	leader := g.last.holder()
	for _, b := range g.LoadBalancers {
		missing = append(missing, g.balancer(ctx, b, leader)...)
	}
	return missing
}

// otherBalancers wants one that leads to the cluster, of those that the gate was
// given before: others may be yet to be made.
func (g *gate) otherBalancers(ctx context.Context) (missing []string) {
	leader := g.last.holder()
	for _, b := range g.OtherLoadBalancers {
		if !slices.ContainsFunc(g.old.Others, func(o LoadBalancer) bool { return o.Endpoint == b.Endpoint }) {
			continue
		}
		lacks := g.balancer(ctx, b, leader)
		if len(lacks) == 0 {
			return nil
		}
		missing = append(missing, lacks...)
	}
	return missing
}

func (g *gate) balancer(ctx context.Context, b LoadBalancer, leader string) (missing []string) {
	missing = append(missing, g.last.reaches(ctx, b.Endpoint, leader, true))
	if len(g.Nodes) > 1 {
		missing = append(missing, g.last.reaches(ctx, b.ReplicaEndpoint, leader, false))
	}
	return slices.DeleteFunc(missing, func(line string) bool { return line == "" })
}

// warn tells once of what may yet get in the way.
func (g *gate) warn(ctx context.Context) {
	if text := g.last.scheduled(); text != "" && !g.warned {
		p.GetLogger(ctx).Warning(text)
		g.warned = true
	}
}

// advice is what to do about what is still missing when the time is over.
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
	text.WriteString(" The next up goes on here; skipHealthChecks skips the waiting.")
	return text.String()
}

// passed is what the last look showed.
func (g *gate) passed() HealthState {
	s := g.state()
	s.Leader = g.last.holder()
	for _, m := range g.last.members() {
		s.Members = append(s.Members, m.String())
	}
	s.Timeline, s.SystemID = g.last.answers[s.Leader].Timeline, g.last.answers[s.Leader].SystemID
	return s
}
