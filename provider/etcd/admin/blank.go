package admin

import (
	"context"
	"errors"
	"slices"
)

// blankError ends a wait for a quorum that lacks a member whose machine has lost its
// data, as one that was rebuilt in this update and has not become a member again.
type blankError struct{ member HealthMember }

func (e blankError) Error() string { return "the data of " + e.member.Name + " are gone" }

// blank is a member that another one waits for, and that is to be brought in again first.
func (a HealthArgs) blank(v view) *HealthMember {
	lost := v.lostData()
	if a.Without == nil || lost == nil {
		return nil
	}
	i := slices.IndexFunc(a.Members, func(m HealthMember) bool { return m.Name != *a.Without && m.Name == lost.Name })
	if i < 0 {
		return nil
	}
	return &a.Members[i]
}

// regaining waits, and brings members in again that the wait cannot do without.
func (a HealthArgs) regaining(ctx context.Context, root *rootLogin, wait func() error) error {
	for {
		err, lacks := wait(), blankError{}
		if !errors.As(err, &lacks) {
			return err
		}
		member := MemberState{MemberArgs: MemberArgs{Etcd: a.Etcd, Name: lacks.member.Name, IP: lacks.member.IP}}
		if err := join(ctx, &member, root, false); err != nil {
			return err
		}
	}
}

// idle is a member whose machine says that it has no data, and waits for the others: nothing
// is lost with it, and no quorum counts on it. So it is in a cluster that was never founded,
// since an update was killed before it had made all machines.
type idle struct{ looks int } // in a row

// passes reports whether a wait is over with a look that failed.
func (i *idle) passes(ctx context.Context, g parting, failed error) bool {
	if i.looks++; !notNow(failed) || !g.isIdle(context.WithoutCancel(ctx)) {
		i.looks = 0
	}
	return i.looks >= unmissed
}

// isIdle asks the member's machine. It takes two seconds at most.
func (g parting) isIdle(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, oneKnock)
	defer cancel()
	at := slices.Index(g.names(), g.member)
	if at < 0 {
		return false
	}
	page, shown := joiningAt(ctx, g.Etcd, endpoint(g.Members[at].IP))
	return shown && page.State == blank && page.Name == g.member
}
