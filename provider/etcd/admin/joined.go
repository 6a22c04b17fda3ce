package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// joined is what is known of members that joined the cluster after its first gate looked.
type joined struct {
	known   bool     // whether a gate has seen the cluster
	seen    []string // by the last gate, in the update before
	joining []string // in the program when the first gate last saw a quorum, before this update
}

// noteKnown notes that the first gate has seen the cluster, if it has.
func noteKnown(ctx context.Context, clusterID string) {
	running.Note(ctx, running.Beside(ctx, running.URN(ctx).Name()), func(now *joined) { now.known = now.known || clusterID != "" })
}

// noteSeen notes which members the last gate saw, by its state, for the guards of the cluster.
func noteSeen(ctx context.Context, cluster string, state property.Map) {
	running.Note(ctx, running.Beside(ctx, cluster+"-"+FirstGate), func(now *joined) { now.known, now.seen = true, memberNames(state) })
}

// joining are the members that may have joined the cluster since the gate last saw it.
func (s HealthState) joining() []string {
	if s.Joining == nil { // of a version that did not keep it
		return s.names()
	}
	return s.Joining
}

// noteJoining notes them, by the state of the first gate.
func noteJoining(ctx context.Context, state property.Map) {
	s := HealthState{HealthArgs: HealthArgs{Members: membersIn(state.Get("members"))}, Joining: guard.Texts(state.Get("joining"))}
	running.Note(ctx, running.Beside(ctx, running.URN(ctx).Name()), func(now *joined) { now.joining = s.joining() })
}

// memberNames are those of the members that a gate saw, by its state.
func memberNames(state property.Map) (names []string) {
	if ids := state.Get("memberIds"); ids.IsMap() {
		for name := range ids.AsMap().All {
			names = append(names, name)
		}
	}
	return names
}

// justJoined are members that this update brought in.
type justJoined []string

func noteJoined(ctx context.Context, c host.EtcdConnection, name string) {
	running.Note(ctx, strings.Join(c.Endpoints, " "), func(now *justJoined) { *now = distinct(append(*now, name), "") })
}

// othersJoined reports whether others may have joined since the first gate saw the member alone
// in the cluster: they were seen, or this update brought them in, or an earlier one could,
// since there was a quorum. A machine that says that it has no data is no member.
func (g guardCheck) othersJoined(ctx context.Context) bool {
	just, _ := running.Noted[justJoined](ctx, strings.Join(g.Etcd.Endpoints, " "))
	var may []string
	for _, m := range g.Members {
		switch {
		case m.Name == g.member:
		case slices.Contains(g.seen, m.Name), slices.Contains(just, m.Name):
			return true
		case slices.Contains(g.joining, m.Name):
			may = append(may, endpoint(m.IP))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	blank := make([]bool, len(may))
	sideBySide(len(may), func(i int) { blank[i] = isBlank(ctx, may[i]) })
	return slices.Contains(blank, false)
}
