package postgres

import (
	"context"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// Programs knows, while the provider runs, of which clusters a program says
// what they are to be. The engine checks a program's resources before it changes
// any, and checks none when it destroys a stack: so a deletion can tell whether a
// cluster goes as a whole or one of its machines does.
//
// The nil Programs knows of none.
type Programs struct {
	lock sync.Mutex
	all  map[string]*HealthArgs // by the name of the cluster's first gate; nil where the update leaves the gates out
}

// latest is what the program with that gate says, and whether there is one.
func (p *Programs) latest(gate string) (now *HealthArgs, runs bool) {
	if p == nil {
		return nil, false
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	now, runs = p.all[gate]
	return now, runs
}

// runs notes that there is a program.
func (p *Programs) runs(gate string) { p.note(gate, func(now *HealthArgs) *HealthArgs { return now }) }

// says notes what the program says. Not all gates are told of standbys.
func (p *Programs) says(gate string, a HealthArgs) {
	p.note(gate, func(before *HealthArgs) *HealthArgs {
		if before != nil && (a.Node != nil || a.OtherLoadBalancers != nil) {
			a.SynchronousStandbys = before.SynchronousStandbys
		}
		return &a
	})
}

func (p *Programs) note(gate string, change func(*HealthArgs) *HealthArgs) {
	if p == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.all == nil {
		p.all = map[string]*HealthArgs{}
	}
	p.all[gate] = change(p.all[gate])
}

// Check notes that a program is there, which says how the cluster is reached now.
func (h Health) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[HealthArgs], error) {
	args, failures, err := infer.DefaultCheck[HealthArgs](ctx, req.NewInputs)
	if gate, is := args.firstGate(req.Name); is && err == nil && len(failures) == 0 {
		h.Programs.says(gate, args)
	}
	return infer.CheckResponse[HealthArgs]{Inputs: args, Failures: failures}, err
}

// firstGate is the name of the first gate of the PostgresCluster that one with a
// name is of.
func (a HealthArgs) firstGate(name string) (first string, is bool) {
	suffix := "-healthy"
	switch {
	case a.Plan != nil:
		suffix = "-plan"
	case a.Without != nil:
		suffix = "-without-" + *a.Without
	case a.Node != nil:
		suffix = "-" + *a.Node
	}
	cluster, is := strings.CutSuffix(name, suffix)
	return cluster + "-plan", is
}
