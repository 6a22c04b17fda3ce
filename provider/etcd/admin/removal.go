package admin

import (
	"context"
	"fmt"

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

// removeOthers removes a member that is not among those wanted.
func (v view) removeOthers(ctx context.Context, wanted []HealthMember) (missing string, err error) {
	leaving := v.others(wanted)
	if len(leaving) == 0 {
		return "", nil
	}
	return v.expel(ctx, leaving[0], wanted[len(wanted)-1].Name)
}

// expel removes a member, which hands over the leadership before.
func (v view) expel(ctx context.Context, m *etcdserverpb.Member, transferee string) (missing string, err error) {
	if missing, err := v.moveLeader(ctx, m.Name, transferee); missing != "" || err != nil {
		return missing, err
	}
	return v.remove(ctx, m)
}

// removeDead removes a member that is not among those wanted and does not
// answer, or does not vote: while it is there, etcd adds no other.
func (v view) removeDead(ctx context.Context, wanted []HealthMember) (missing string, err error) {
	for _, m := range v.others(wanted) {
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
