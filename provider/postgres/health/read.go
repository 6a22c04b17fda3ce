package health

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// silent follows the name of a node that does not answer.
const silent = ": does not answer: "

// Read finds out, for a gate of all nodes, whether the cluster is still
// healthy. It never fails: the update may repair a cluster that does not
// answer.
func (Health) Read(ctx context.Context, req infer.ReadRequest[HealthArgs, HealthState]) (infer.ReadResponse[HealthArgs, HealthState], error) {
	read := infer.ReadResponse[HealthArgs, HealthState](req)
	if read.State.Members == nil {
		read.State.Members = []string{} // nil would be no list
	}
	if read.State.Nodes == nil {
		read.State.Nodes = []Node{}
	}
	a := read.Inputs
	if len(a.Nodes) == 0 || a.Node != nil || a.isBefore() || a.Upgrade != nil || a.UpgradeFrom != nil || a.SkipHealthChecks == nil || a.MaximumLag == nil {
		return read, nil
	}
	g, err := newGate(ctx, a, read.State, *a.SkipHealthChecks)
	if err != nil || g == nil { // the certificates in the state are not usable
		return read, nil
	}
	var wrong []string
	wait.Again(ctx, func() bool {
		wrong = g.wrong(ctx)
		return len(wrong) > 0
	})
	read.Inputs.Triggers = wait.Seen(a.Triggers, strings.Join(wrong, "\n"))
	read.State.Triggers = read.Inputs.Triggers
	return read, nil
}

// wrong is what is missing, except what a busy cluster may lack for a while:
// replicas may lag, and other standbys may become synchronous.
func (g *gate) wrong(ctx context.Context) (lines []string) {
	g.last = g.client.look(ctx, g.Nodes)
	leader, reason := g.last.leader()
	if reason != "" {
		lines = append(lines, reason)
	}
	for _, n := range g.Nodes {
		if line := g.last.faultOf(n.Name, leader, math.MaxInt); line != "" {
			lines = append(lines, line)
		}
	}
	if g.appliesRestarts() {
		lines = append(lines, g.last.waitForRestarts()...)
	}
	if len(lines) > 0 {
		return lines
	}
	return g.balancers(ctx)
}

// mayStart reports whether the update may have started a node's machine, since
// the node did not answer a refresh: the last gate waits for such a node, and
// the gates before it do not.
func (g *gate) mayStart(name string) bool {
	return g.isOfAll() && slices.ContainsFunc(strings.Split(g.old.Triggers[wait.SeenTrigger], "\n"), func(line string) bool {
		return strings.HasPrefix(line, name+silent)
	})
}
