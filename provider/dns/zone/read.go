package zone

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Read finds out whether all servers still answer as they should. It never
// fails: that one does not may be what the update mends.
func (Health) Read(ctx context.Context, req infer.ReadRequest[HealthArgs, HealthState]) (infer.ReadResponse[HealthArgs, HealthState], error) {
	read := infer.ReadResponse[HealthArgs, HealthState](req)
	if read.State.Answers == nil {
		read.State.Answers = []string{} // nil would be no list
	}
	a := read.Inputs
	if len(a.Servers) == 0 || ptr.Value(a.SkipHealthChecks) {
		return read, nil
	}
	var missing []string
	wait.Again(ctx, func() bool {
		_, missing = a.ask(ctx)
		return len(missing) > 0
	})
	read.Inputs.Triggers = wait.Seen(a.Triggers, strings.Join(missing, "\n"))
	read.State.Triggers = read.Inputs.Triggers
	return read, nil
}
