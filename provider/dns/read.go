package dns

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
)

const (
	// seenTrigger is a trigger that no program has: what servers lacked when they
	// were asked. So the next update waits for them, also where all that it does is
	// to start a machine.
	seenTrigger = "seen"

	// slow is for how long something may be lacking before a refresh notes it: an
	// answer that was lost on its way is no reason to wait.
	slow = 10 * time.Second
)

// Read finds out whether all servers still answer as they should. It never
// fails: that one does not may be what the update mends.
func (Health) Read(ctx context.Context, req infer.ReadRequest[HealthArgs, HealthState]) (infer.ReadResponse[HealthArgs, HealthState], error) {
	read := infer.ReadResponse[HealthArgs, HealthState](req)
	if read.State.Answers == nil {
		read.State.Answers = []string{} // nil would be no list
	}
	a := read.Inputs
	if len(a.Servers) == 0 || value(a.SkipHealthChecks) {
		return read, nil
	}
	read.Inputs.Triggers = maps.Clone(a.Triggers)
	delete(read.Inputs.Triggers, seenTrigger)
	if missing := a.askAgain(ctx); len(missing) > 0 {
		if read.Inputs.Triggers == nil {
			read.Inputs.Triggers = map[string]string{}
		}
		read.Inputs.Triggers[seenTrigger] = strings.Join(missing, "\n")
	}
	read.State.Triggers = read.Inputs.Triggers
	return read, nil
}

// askAgain asks until nothing is missing, or something was for a while.
func (a HealthArgs) askAgain(ctx context.Context) (missing []string) {
	for begun := time.Now(); ; {
		_, missing = a.ask(ctx)
		if len(missing) == 0 || time.Since(begun) > slow {
			return missing
		}
		select {
		case <-ctx.Done():
			return missing
		case <-time.After(time.Second):
		}
	}
}
