package postgres

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	// seenTrigger is a trigger that no program has: what the cluster lacked when
	// it was looked at. So the next update waits for it, also where all that does
	// is to start a machine.
	seenTrigger = "seen"

	// slow is for how long something may be lacking before a refresh notes it: a
	// leader that has just changed, or a node that is busy, is no reason to wait.
	slow = 10 * time.Second

	// silent is how a node is told of that does not answer.
	silent = ": does not answer: "
)

// Read finds out, for a gate of all nodes, whether the cluster is still as it
// should be. It never fails: that nobody answers may be what the update mends.
func (Health) Read(ctx context.Context, req infer.ReadRequest[HealthArgs, HealthState]) (infer.ReadResponse[HealthArgs, HealthState], error) {
	read := infer.ReadResponse[HealthArgs, HealthState](req)
	if read.State.Members == nil {
		read.State.Members = []string{} // nil would be no list
	}
	a := read.Inputs
	if len(a.Nodes) == 0 || a.Node != nil || a.isBefore() || a.SkipHealthChecks == nil || a.MaximumLag == nil {
		return read, nil
	}
	g, err := newGate(ctx, a, read.State, *a.SkipHealthChecks)
	if err != nil || g == nil { // what the state has to ask by is of no use
		return read, nil
	}
	read.Inputs.Triggers = seen(a.Triggers, strings.Join(g.lookAgain(ctx), "\n"))
	read.State.Triggers = read.Inputs.Triggers
	return read, nil
}

// seen are triggers with what was, if anything was.
func seen(triggers map[string]string, what string) map[string]string {
	triggers = maps.Clone(triggers)
	delete(triggers, seenTrigger)
	if what == "" {
		return triggers
	}
	if triggers == nil {
		triggers = map[string]string{}
	}
	triggers[seenTrigger] = what
	return triggers
}

// lookAgain looks until nothing is wrong, or something was for a while.
func (g *gate) lookAgain(ctx context.Context) (wrong []string) {
	for begun := time.Now(); ; {
		wrong = g.wrong(ctx)
		if len(wrong) == 0 || time.Since(begun) > slow || !sleep(ctx, time.Second) {
			return wrong
		}
	}
}

// wrong is what is not as it should be, but for what a busy cluster lacks too:
// a replica may be behind for a while, and what commits wait for is another.
func (g *gate) wrong(ctx context.Context) (lines []string) {
	g.last = g.client.look(ctx, g.Nodes)
	leader, reason := g.last.leader()
	if reason != "" {
		lines = append(lines, reason)
	}
	for _, n := range g.Nodes {
		if line := g.last.well(n.Name, leader, math.MaxInt); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		return lines
	}
	return g.balancers(ctx)
}

// mayStart reports whether the update may have started a node's machine, which
// was silent when a refresh looked: the last gate waits for such a node, while
// others have done without it.
func (g *gate) mayStart(name string) bool {
	return g.isOfAll() && slices.ContainsFunc(strings.Split(g.old.Triggers[seenTrigger], "\n"), func(line string) bool {
		return strings.HasPrefix(line, name+silent)
	})
}
