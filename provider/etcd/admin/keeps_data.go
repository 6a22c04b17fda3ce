package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// removedSince is a connection to the members that the program had before and has no
// longer, and their names. They may be the whole cluster, if the members that the last
// program added never joined.
func (a HealthArgs) removedSince(before HealthState) (host.EtcdConnection, []string) {
	c, names := before.Etcd, []string(nil)
	c.Endpoints = nil
	for _, m := range before.Members {
		if !slices.Contains(a.names(), m.Name) {
			names, c.Endpoints = append(names, m.Name), append(c.Endpoints, endpoint(m.IP))
		}
	}
	return c, names
}

// keepsMemberWithData refuses, also in a preview, to remove all members that have the
// cluster's data. If no removed member answers, the gate waits for them, unless all
// members that stay were added while no member answered (keepsMemberSeen).
func (a HealthArgs) keepsMemberWithData(ctx context.Context, before HealthState) error {
	c, leave := a.removedSince(before)
	if ptr.Value(a.SkipHealthChecks) || *a.Require != Quorum || len(leave) == 0 {
		return nil
	}
	if !accepted(ctx, c.Endpoints) {
		return a.keepsMemberSeen(ctx, before)
	}
	ctx, cancel := context.WithTimeout(ctx, foreseeing)
	defer cancel()
	var refusal error
	_ = newRootLogin(c, nil, append([]string{ptr.Value(a.Etcd.Password)}, before.RootPasswords...)).do(ctx, func(ctx context.Context, client *clientv3.Client) error {
		v, err := list(ctx, client)
		if err == nil && !slices.ContainsFunc(a.Members, v.hasData) {
			refusal = fmt.Errorf("members: must keep at least one of %s: %s has none of the cluster's data, since it never became a voting member. Remove the others in a later update, after it has joined",
				strings.Join(leave, ", "), check.Or(a.names()))
		}
		return err
	})
	return refusal
}

// keepsMemberSeen refuses to remove all members that may have the cluster's data, while no
// member answers.
func (a HealthArgs) keepsMemberSeen(ctx context.Context, before HealthState) error {
	had := before.mayHaveData()
	if a.Without != nil || slices.ContainsFunc(a.names(), func(name string) bool { return slices.Contains(had, name) }) || founded(ctx, a.Etcd) {
		return nil
	}
	return fmt.Errorf("members: must keep at least one of %s while no member answers: it is not known whether %s has the cluster's data. Start the machines first. Only if there never was a cluster, set skipHealthChecks",
		strings.Join(had, ", "), check.Or(a.names()))
}

// mayHaveData are the members that the gate last saw in the cluster or, if it has never
// seen one, those of the program then.
func (s HealthState) mayHaveData() []string {
	if len(s.MemberIDs) == 0 {
		return s.names()
	}
	return slices.Sorted(maps.Keys(s.MemberIDs))
}

// hasData reports whether a member of the program is a voting member that has started.
func (v view) hasData(m HealthMember) bool {
	found := v.find(m.Name, m.IP)
	return found != nil && started(found) && !found.IsLearner
}

// neverFounded reports whether there is no cluster yet: in several looks, nothing answers
// at any address of this program or the one before, except members that wait to create
// the cluster. An update that failed may have left that.
func (a HealthArgs) neverFounded(ctx context.Context, before HealthState) bool {
	c := a.Etcd
	c.Endpoints = distinct(slices.Concat(a.Etcd.Endpoints, before.Etcd.Endpoints), "")
	for range unmissed {
		if accepted(ctx, c.Endpoints) && !aboutToFound(ctx, c) || !wait.Sleep(ctx, time.Second) {
			return false
		}
	}
	return true
}
