package admin

import (
	"context"
	"errors"
	"slices"
)

// noDataError ends a wait for a quorum that lacks a member whose machine has lost its
// data, as one that was rebuilt in this update and has not become a member again.
type noDataError struct{ member HealthMember }

func (e noDataError) Error() string { return "the data of " + e.member.Name + " are gone" }

// blank is a member that has lost its data and must join again before the member Without
// may change, or nil.
func (a HealthArgs) blank(v view) *HealthMember {
	if a.Without == nil {
		return nil
	}
	for _, lost := range v.lostData() {
		i := slices.IndexFunc(a.Members, func(m HealthMember) bool { return m.Name != *a.Without && m.Name == lost.Name })
		if i >= 0 {
			return &a.Members[i]
		}
	}
	return nil
}

// waitAndRejoin waits, and has members that the wait needs and that lost their data join again.
func (a HealthArgs) waitAndRejoin(ctx context.Context, root *rootLogin, wait func() error) error {
	for {
		err, lacks := wait(), noDataError{}
		if !errors.As(err, &lacks) {
			return err
		}
		member := MemberState{MemberArgs: MemberArgs{Etcd: a.Etcd, Name: lacks.member.Name, IP: lacks.member.IP}}
		if err := join(ctx, &member, nil, root, false); err != nil {
			return err
		}
	}
}

// withoutData counts the looks in a row in which a member's machine says that it has no data
// and waits for the others: nothing is lost with it, and no quorum needs it. That is so in a
// cluster that was never created, since an update was killed before all machines were there.
type withoutData struct{ looks int }

// passes reports whether a wait ends successfully although a look failed.
func (w *withoutData) passes(ctx context.Context, g guardCheck, failed error) bool {
	if w.looks++; !notNow(failed) || !g.isIdle(context.WithoutCancel(ctx)) {
		w.looks = 0
	}
	return w.looks >= unmissed
}

// isIdle asks the member's machine. It takes two seconds at most.
func (g guardCheck) isIdle(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	at := slices.Index(g.names(), g.member)
	if at < 0 {
		return false
	}
	page, shown := joiningAt(ctx, g.Etcd, endpoint(g.Members[at].IP))
	return shown && page.State == blank && page.Name == g.member
}
