package admin

import (
	"context"
	"fmt"
	"slices"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
)

// others are the members that are not among those wanted.
func (v view) others(wanted []HealthMember) (all []*etcdserverpb.Member) {
	keep := map[uint64]bool{}
	for _, w := range wanted {
		if m := v.find(w.Name, w.IP); m != nil {
			keep[m.ID] = true
		}
	}
	for _, m := range v.list {
		if !keep[m.ID] {
			all = append(all, m)
		}
	}
	return all
}

// leaving are the members that are not in the program. Of a cluster that is shared it has to have had
// them before: the others are somebody else's.
func (a HealthArgs) leaving(ctx context.Context, v view) []*etcdserverpb.Member {
	return slices.DeleteFunc(v.others(a.Members), func(m *etcdserverpb.Member) bool { return a.isShared() && !hasLeft(ctx, a.Etcd, m) })
}

// removeOthers removes a member that is leaving.
func (a HealthArgs) removeOthers(ctx context.Context, v view) (missing string, err error) {
	leaving := a.leaving(ctx, v)
	if len(leaving) == 0 {
		return "", nil
	}
	return v.expel(ctx, leaving[0], a.Members[len(a.Members)-1].Name)
}

// expel removes a member, which hands over the leadership before.
func (v view) expel(ctx context.Context, m *etcdserverpb.Member, transferee string) (missing string, err error) {
	if missing, err := v.moveLeader(ctx, m.Name, transferee); missing != "" || err != nil {
		return missing, err
	}
	return v.remove(ctx, m)
}

// removeDead removes a member that is leaving and does not answer, or does not
// vote: while it is there, etcd adds no other.
func (a HealthArgs) removeDead(ctx context.Context, v view) (missing string, err error) {
	for _, m := range a.leaving(ctx, v) {
		if (m.IsLearner || v.of(m).status == nil) && v.needed(m) == "" {
			return v.remove(ctx, m)
		}
	}
	return "", nil
}

// remove removes a member from the cluster, or says why it must stay for now.
func (v view) remove(ctx context.Context, m *etcdserverpb.Member) (missing string, err error) {
	if reason := v.needed(m); reason != "" {
		return reason, nil
	}
	_, err = v.client.MemberRemove(ctx, m.ID)
	return called(m) + " is removed", err
}

// needed is why a member must not be removed: those that stay would have no
// quorum.
func (v view) needed(m *etcdserverpb.Member) string {
	healthy, voters := 0, 0
	for _, other := range v.list {
		if other.ID == m.ID || other.IsLearner {
			continue
		}
		voters++
		if v.of(other).fault == "" {
			healthy++
		}
	}
	if m.IsLearner || voters > 0 && healthy >= quorum(voters) {
		return ""
	}
	return fmt.Sprintf("%s must not be removed: of the %d members that would stay %d are healthy, and %d are needed", called(m), voters, healthy, quorum(voters))
}
