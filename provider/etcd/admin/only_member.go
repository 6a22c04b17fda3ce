package admin

import (
	"context"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
)

// onlyMember is the only member of a cluster, if it stays. While it is unavailable, a change
// of its machine cannot make the cluster worse, and may be what repairs it: waits pass.
type onlyMember struct {
	ip     string // "" if there are others
	others bool   // whether the program has others, which may have joined unseen
	away   int    // how many looks in a row did not reach it
}

// passes reports whether a wait ends successfully although a look failed.
func (o *onlyMember) passes(ctx context.Context, failed error) bool {
	switch {
	case o.ip == "" || !notNow(failed):
		o.away = 0
	case !o.others:
		return true
	case Alive(context.WithoutCancel(ctx), []string{endpoint(o.ip)})[0]: // which has a bound of its own
		o.away = 0
	default:
		o.away++
	}
	return o.away >= unmissed
}

// onlyMember is the only member for a gate that waits for a quorum.
func (a HealthArgs) onlyMember(before *HealthState) *onlyMember {
	if *a.Require != Quorum || before == nil {
		return &onlyMember{}
	}
	return a.asOnly(before.only())
}

// asOnly takes the member with a name for the only one in the cluster.
func (a HealthArgs) asOnly(name string) *onlyMember {
	at := slices.IndexFunc(a.Members, func(m HealthMember) bool { return m.Name == name })
	if at < 0 {
		return &onlyMember{}
	}
	return &onlyMember{ip: a.Members[at].IP, others: len(a.Members) > 1}
}

// only is the name of the only member that the gate last saw in the cluster, or "".
func (s HealthState) only() string {
	if len(s.Members) == 1 {
		return s.Members[0].Name
	}
	for name := range s.MemberIDs {
		if len(s.MemberIDs) == 1 {
			return name
		}
	}
	return ""
}

// lastSeen is the only member that the first gate saw in the cluster in the update before,
// or "".
type lastSeen string

// seenIn reads lastSeen from a state as the engine has it.
func seenIn(state property.Map) lastSeen {
	s := HealthState{MemberIDs: map[string]string{}}
	for _, name := range memberNames(state) {
		s.MemberIDs[name] = ""
	}
	s.Members = membersIn(state.Get("members"))
	return lastSeen(s.only())
}

// membersIn are members in a state as the engine has it.
func membersIn(v property.Value) (all []HealthMember) {
	if v.IsArray() {
		for _, m := range v.AsArray().All {
			if m.IsMap() {
				all = append(all, HealthMember{Name: guard.Text(m.AsMap().Get("name")), IP: guard.Text(m.AsMap().Get("ip"))})
			}
		}
	}
	return all
}
