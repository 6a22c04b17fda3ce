package admin

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// The names of a cluster's gates end so.
const (
	FirstGate = "plan"
	LastGate  = "healthy"
)

// parted is what is known of members that left the program, and may have a vote still.
type parted struct {
	leftAt    int // which update of the first gate took the last one out, or 0
	complete  int // up to which one the last gate has seen the cluster without those that left
	addresses []string
}

// leavesOut reports whether a member has left the program since the update before.
func (a HealthArgs) leavesOut(before HealthArgs) bool {
	return slices.ContainsFunc(before.names(), func(name string) bool { return !slices.Contains(a.names(), name) })
}

// noteLeftAt notes that of the first gate, which the provider is called for.
func noteLeftAt(ctx context.Context, s HealthState) {
	running.Note(ctx, running.Beside(ctx, running.URN(ctx).Name()), func(now *parted) {
		now.leftAt, now.addresses = s.LeftAt, nil
		for _, m := range s.Left {
			now.addresses = append(now.addresses, endpoint(m.IP))
		}
	})
}

// leftAtIn is what noteLeftAt wants of a state as the engine has it.
func leftAtIn(state property.Map) HealthState {
	return HealthState{LeftAt: number(state.Get("leftAt")), Left: membersIn(state.Get("left"))}
}

// noteComplete notes when the last gate passed, and whom it saw, by its state. The engine
// asks for the difference of that before it deletes the guard of a machine that is replaced.
func noteComplete(ctx context.Context, state property.Map) {
	cluster, is := strings.CutSuffix(running.URN(ctx).Name(), "-"+LastGate)
	triggers := state.Get("triggers")
	if !is || text(state.Get("clusterId")) == "" || !triggers.IsMap() {
		return
	}
	noteSeen(ctx, cluster, state)
	if n, err := strconv.Atoi(text(triggers.AsMap().Get("updates"))); err == nil {
		running.Note(ctx, running.Beside(ctx, cluster+"-"+FirstGate), func(now *parted) { now.complete = n })
	}
}

// number is that of a property, or 0.
func number(v property.Value) int {
	if v.IsNumber() {
		return int(v.AsNumber())
	}
	return 0
}

// mayVote reports whether some of them may be members still: neither did a look say that they
// are out, nor has the last gate passed since they left.
func (p parted) mayVote() bool { return p.leftAt > p.complete }
