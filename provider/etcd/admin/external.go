package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// runsAlready bounds the wait for a cluster that is there already: nothing of it has to boot.
const runsAlready = 2 * time.Minute

func (m HealthMember) isExternal() bool { return ptr.Value(m.External) }

// isShared reports whether some of the members are somebody else's.
func (a HealthArgs) isShared() bool { return slices.ContainsFunc(a.Members, HealthMember.isExternal) }

// isFirst reports whether the gate is the one that an update of a cluster begins with.
func (a HealthArgs) isFirst() bool {
	return *a.Require == Quorum && a.Without == nil && ptr.Value(a.RemoveOthers)
}

// knows refuses external members that the cluster does not have as the program says.
func (a HealthArgs) knows(v view) error {
	var wrong []string
	for _, m := range a.Members {
		if !m.isExternal() {
			continue
		}
		switch found := v.find(m.Name, ""); {
		case found == nil:
			wrong = append(wrong, fmt.Sprintf("%s is external, and the cluster has no member of that name: it has %s", m.Name, strings.Join(v.names(), ", ")))
		case !hasPeer(found, m.IP):
			wrong = append(wrong, fmt.Sprintf("%s is external with the address %s, and the cluster knows it by %s", m.Name, m.IP, strings.Join(found.PeerURLs, ", ")))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(wrong, "\n"))
}

func (v view) names() (all []string) {
	for _, m := range v.list {
		all = append(all, called(m))
	}
	return all
}

// tellOthers warns of members that are not in the program.
func (a HealthArgs) tellOthers(ctx context.Context, v view) {
	var others []string
	for _, m := range v.others(a.Members) {
		if !hasLeft(ctx, a.Etcd, m) {
			others = append(others, called(m))
		}
	}
	if len(others) > 0 {
		p.GetLogger(ctx).Warningf("the cluster has members that the program does not name: %s. They stay while a member is external, and are removed from the cluster by the first update without one. "+
			"Name those that are to stay, with `external: true`", strings.Join(others, ", "))
	}
}

// keepsAuth refuses to turn authentication on in a cluster that was there before, unless that is
// wanted: clients without a user would be refused from then on.
func (a HealthArgs) keepsAuth(ctx context.Context, client *clientv3.Client, before *HealthState) error {
	if ptr.Value(a.EnableAuth) || !a.isShared() && before != nil && !before.isShared() {
		return nil
	}
	status, err := client.AuthStatus(ctx)
	if err != nil || status.Enabled {
		return err
	}
	if a.isShared() {
		p.GetLogger(ctx).Warning("authentication is off in this cluster, and stays off while a member is external. Before the last one is taken over, add the users that the applications need, and set enableAuth: true")
		return nil
	}
	return errors.New("authentication is off in this cluster, and this update would turn it on: clients without a user would be refused from then on. " +
		"Add the users that the applications need, then set enableAuth: true")
}

// begins looks, before anything is made, at who is at the addresses of the program: a cluster whose
// members are external has to be there, and another one must not.
func (a HealthArgs) begins(ctx context.Context) error {
	if !a.isFirst() || a.isShared() || !accepted(ctx, a.Etcd.Endpoints) {
		return nil
	}
	const instead = "If it is a member of a cluster that you want to take over, name all of its members with `external: true`, and its authority with `ca`: see docs/taking-over-etcd.md. Otherwise give other addresses"
	for _, m := range a.Members {
		if accepted(ctx, []string{endpoint(m.IP)}) && !mayBelong(a.Etcd, endpoint(m.IP)) {
			return fmt.Errorf("%s: something serves at %s already, with a certificate of another authority. %s", m.Name, endpoint(m.IP), instead)
		}
	}
	if aboutToFound(ctx, a.Etcd) {
		return nil
	}
	var refusal error
	_ = newRootLogin(a.Etcd, nil, notedPasswords(ctx, a.Etcd)).do(ctx, func(ctx context.Context, client *clientv3.Client) error {
		v, err := list(ctx, client)
		if err == nil && v.identity != nil && *v.identity == "" {
			refusal = fmt.Errorf("a cluster that was not made here serves at these addresses already: its id is %x, and its members are %s. %s", v.id, strings.Join(v.names(), ", "), instead)
		}
		return err
	})
	return refusal
}

// foresees is what a preview can say of a cluster with external members, or one that had some.
func (a HealthArgs) foresees(ctx context.Context, before *HealthState) error {
	if !a.isFirst() || ptr.Value(a.SkipHealthChecks) || !a.isShared() && (before == nil || !before.isShared()) {
		return nil
	}
	if a.Etcd.CACert == "" || slices.Contains(a.ips(), "") || a.Etcd.ClientCert != nil && *a.Etcd.ClientCert == "" || a.Etcd.Password != nil && *a.Etcd.Password == "" {
		return nil // not known yet
	}
	bounded, cancel := context.WithTimeout(ctx, foreseeing)
	defer cancel()
	root := newRootLogin(a.Etcd, nil, notedPasswords(ctx, a.Etcd))
	if before != nil {
		root = newRootLogin(a.Etcd, &before.Etcd, before.RootPasswords)
	}
	var refusal error
	err := root.do(bounded, func(ctx context.Context, client *clientv3.Client) error {
		v, err := look(ctx, client, a.Etcd, a.ips()...)
		if err == nil {
			refusal = a.fits(ctx, v, before)
		}
		return err
	})
	if err != nil {
		p.GetLogger(ctx).Warningf("the cluster could not be asked, and the update fails unless that changes: %s", reason(err))
	}
	return refusal
}

// fits refuses a program that does not fit the cluster that it shares, and warns of what it does not name.
func (a HealthArgs) fits(ctx context.Context, v view, before *HealthState) error {
	if !a.isFirst() || !a.isShared() && (before == nil || !before.isShared()) {
		return nil
	}
	if err := errors.Join(a.knows(v), a.keepsAuth(ctx, v.client, before), a.givesBack(ctx, before)); err != nil {
		return err
	}
	if a.isShared() {
		a.tellOthers(ctx, v)
	}
	return nil
}

// givesBack refuses that a member of ours becomes external before another machine is in its place.
func (a HealthArgs) givesBack(ctx context.Context, before *HealthState) error {
	if before == nil {
		return nil
	}
	for _, m := range before.Members {
		at := slices.IndexFunc(a.Members, func(n HealthMember) bool { return n.Name == m.Name })
		if at >= 0 && a.Members[at].isExternal() && !m.isExternal() && (wait.IsOurs(ctx, m.IP) || !accepted(ctx, []string{endpoint(a.Members[at].IP)})) {
			return fmt.Errorf("%s must not become external while its machine is one of this program, which would be deleted: remove it from members in one update, "+
				"then add the other machine to the cluster by `etcdctl member add`, and name it with `external: true` when it runs", m.Name)
		}
	}
	return nil
}

// isFree refuses, before a machine is made, that another one serves in its place.
func (a HealthArgs) isFree(ctx context.Context) error {
	for _, m := range a.Members {
		if m.Name == *a.Without && accepted(ctx, []string{endpoint(m.IP)}) && !wait.IsOurs(ctx, m.IP) {
			return fmt.Errorf("%s: a machine that was not made here serves at %s. It no longer leads, and the other members have a quorum: shut it down and undefine it now, keep its disks, and run `pulumi up` again. "+
				"Or set `external: true`, and it stays", m.Name, endpoint(m.IP))
		}
	}
	return nil
}
