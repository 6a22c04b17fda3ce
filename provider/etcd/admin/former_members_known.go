package admin

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Suffixes of the names of a cluster's first and last gate.
const (
	FirstGate = "plan"
	LastGate  = "healthy"
)

// formerMembers is what is known of members that were removed from the program, and may
// still be voting members of the cluster.
type formerMembers struct {
	leftAt    int // number of the update in which the last one was removed from the program, or 0
	complete  int // number of the last update in which the last gate saw the cluster without them
	addresses []string
}

// leavesOut reports whether a member was removed from the program since the last update.
func (a HealthArgs) leavesOut(before HealthArgs) bool {
	return slices.ContainsFunc(before.names(), func(name string) bool { return !slices.Contains(a.names(), name) })
}

// noteLeftAt notes leftAt and addresses from the first gate, which the provider is called for.
func noteLeftAt(ctx context.Context, s HealthState) {
	running.Note(ctx, running.Beside(ctx, running.URN(ctx).Name()), func(now *formerMembers) {
		now.leftAt, now.addresses = s.LeftAt, nil
		for _, m := range s.Left {
			now.addresses = append(now.addresses, endpoint(m.IP))
		}
	})
}

// leftAtIn is what noteLeftAt needs of a state as the engine has it.
func leftAtIn(state property.Map) HealthState {
	return HealthState{LeftAt: number(state.Get("leftAt")), Left: membersIn(state.Get("left"))}
}

// noteComplete notes from the state of the last gate in which update it passed, and which
// members it saw. The engine compares that gate before it deletes the guard of a machine that
// is replaced.
func noteComplete(ctx context.Context, state property.Map) {
	cluster, is := strings.CutSuffix(running.URN(ctx).Name(), "-"+LastGate)
	triggers := state.Get("triggers")
	if !is || guard.Text(state.Get("clusterId")) == "" || !triggers.IsMap() {
		return
	}
	noteSeen(ctx, cluster, state)
	if n, err := strconv.Atoi(guard.Text(triggers.AsMap().Get("updates"))); err == nil {
		running.Note(ctx, running.Beside(ctx, cluster+"-"+FirstGate), func(now *formerMembers) { now.complete = n })
	}
}

// number is that of a property, or 0.
func number(v property.Value) int {
	if v.IsNumber() {
		return int(v.AsNumber())
	}
	return 0
}

// mayVote reports whether some of them may still be members: no gate has seen since that they
// are not, and the last gate has not passed.
func (p formerMembers) mayVote() bool { return p.leftAt > p.complete }
