package admin

import (
	"context"
	"errors"
	"slices"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// bringIn does the next step of bringing a member in, and says what is missing
// still.
func (v view) bringIn(ctx context.Context, a MemberArgs) (missing string, err error) {
	m, now := v.find(a.Name, a.IP), v.at(a.IP)
	if m != nil {
		noteJoined(ctx, a.Etcd, a.Name)
	}
	for _, lost := range v.lostData() {
		if m == nil || m.ID == lost.ID { // first: etcd adds no member while one of the voters does not answer
			missing, err = v.remove(ctx, lost)
			return "the data of " + called(lost) + " are gone, it has to be added again: " + missing, err
		}
	}
	if m == nil || m.IsLearner && !started(m) {
		if missing, err := v.takesIn(ctx); missing != "" || err != nil {
			return missing, err
		}
	}
	switch {
	case m == nil && v.learner() != nil: // etcd adds one after the other
		return v.vote(ctx, v.learner())
	case m == nil:
		return v.add(ctx, a)
	case !hasPeer(m, a.IP): // its machine has another address now
		_, err := v.client.MemberUpdate(ctx, m.ID, []string{peerURL(a.IP)})
		return "it has not started at its new address yet", err
	case now.page.State != "":
		return "it waits to join: " + now.page.Reason, nil
	case now.fault != "":
		return now.fault, nil
	case m.IsLearner && v.outOfStep(now.status.Version) != "": // by its address: the list may not have it yet
		return "", errors.New(v.outOfStep(now.status.Version))
	case m.IsLearner:
		return "it is a learner and receives the data", v.promote(ctx, m, now.status.Leader)
	}
	return "", nil
}

// add adds a member as a learner, which etcd does only while all voting members
// are connected. One that was removed from the program and does not answer is
// removed for that.
func (v view) add(ctx context.Context, a MemberArgs) (missing string, err error) {
	_, err = v.client.MemberAddAsLearner(ctx, []string{peerURL(a.IP)})
	if !isAnswer(err, rpctypes.ErrUnhealthy) {
		return "added as a learner, it has not started yet", err
	}
	for _, m := range v.list {
		if v.of(m).status == nil && v.needed(m) == "" && hasLeft(ctx, a.Etcd, m) {
			return v.remove(ctx, m)
		}
	}
	missing = "it has to be added, for which etcd requires that all voting members have been connected for five seconds"
	voters, _ := v.voters(nil)
	for _, voter := range voters {
		if voter.fault != "" {
			missing += "\n" + voter.name + " " + voter.fault
		}
	}
	return missing + "\nStart what does not run. One that does not come back is removed from the cluster when `members` does not name it any more, and can be named again afterwards", nil
}

// learner is a member that does not vote yet, if there is one.
func (v view) learner() *etcdserverpb.Member {
	for _, m := range v.list {
		if m.IsLearner {
			return m
		}
	}
	return nil
}

// vote first promotes another learner, which an update that was killed left.
func (v view) vote(ctx context.Context, m *etcdserverpb.Member) (missing string, err error) {
	now := v.of(m)
	switch {
	case now.fault != "":
		return called(m) + ", a learner that has to be promoted first, " + now.fault, nil
	case v.outOfStep(now.status.Version) != "":
		return "", errors.New(called(m) + ": " + v.outOfStep(now.status.Version))
	}
	return called(m) + " is a learner and receives the data", v.promote(ctx, m, now.status.Leader)
}

// votes reports whether the member with a name is a voting member.
func (v view) votes(name string) bool {
	return slices.ContainsFunc(v.list, func(m *etcdserverpb.Member) bool { return m.Name == name && !m.IsLearner })
}

// lostData are members that had data, as the cluster's list says, and whose
// machines say that they have none.
func (v view) lostData() (all []*etcdserverpb.Member) {
	for _, m := range v.list {
		if started(m) && v.of(m).page.State == blank {
			all = append(all, m)
		}
	}
	return all
}

// promote makes a learner a voting member. It asks the leader itself: another
// member forwards the request without the user, so that the leader refuses it
// if authentication is on.
func (v view) promote(ctx context.Context, learner *etcdserverpb.Member, leader uint64) error {
	i := slices.IndexFunc(v.list, func(m *etcdserverpb.Member) bool { return m.ID == leader })
	if i < 0 {
		return rpctypes.ErrNoLeader
	}
	connection, err := v.client.Dial(v.serves(v.list[i]))
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = clientv3.NewClusterFromClusterClient(etcdserverpb.NewClusterClient(connection), v.client).MemberPromote(ctx, learner.ID)
	return err
}

// moveLeader moves the leadership from a member to the transferee, which does
// not wait for an election timeout. Only the leader itself can do that.
func (v view) moveLeader(ctx context.Context, name, transferee string) (missing string, err error) {
	i := slices.IndexFunc(v.list, func(m *etcdserverpb.Member) bool { return m.Name == name })
	if i < 0 {
		return "", nil
	}
	m := v.list[i]
	if s := v.of(m).status; s == nil || s.Leader != m.ID {
		return "", nil
	}
	connection, err := v.client.Dial(v.serves(m))
	if err != nil {
		return "", err
	}
	defer connection.Close()
	_, err = clientv3.NewMaintenanceFromMaintenanceClient(clientv3.RetryMaintenanceClient(v.client, connection), v.client).MoveLeader(ctx, v.find(transferee, "").ID)
	return name + " hands over the leadership", err
}

// serves is the address at which a member answered, of those it has.
func (v view) serves(m *etcdserverpb.Member) string {
	for _, url := range m.ClientURLs {
		if v.answers[hostPort(url)].status != nil {
			return url
		}
	}
	return first(m.ClientURLs)
}

// called is the name of a member, or its address while it has none.
func called(m *etcdserverpb.Member) string {
	if m.Name == "" {
		return first(m.PeerURLs)
	}
	return m.Name
}
