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

// leavers reaches the members that leave between two programs, which may be all
// that the cluster consists of: what was to be added may never have come.
func (a HealthArgs) leavers(before HealthState) (host.EtcdConnection, []string) {
	c, names := before.Etcd, []string(nil)
	c.Endpoints = nil
	for _, m := range before.Members {
		if !slices.Contains(a.names(), m.Name) {
			names, c.Endpoints = append(names, m.Name), append(c.Endpoints, endpoint(m.IP))
		}
	}
	return c, names
}

// keepsOne refuses, also in a preview, that those who leave are all that have the
// cluster's data. Members that do not answer tell nothing: the gate waits for them,
// unless all that stay came into the program while nobody could be asked.
func (a HealthArgs) keepsOne(ctx context.Context, before HealthState) error {
	c, leave := a.leavers(before)
	if ptr.Value(a.SkipHealthChecks) || *a.Require != Quorum || len(leave) == 0 {
		return nil
	}
	if !accepted(ctx, c.Endpoints) {
		return a.keepsData(ctx, before)
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

// keepsData refuses that all leave who may have the cluster's data, where nobody answers.
func (a HealthArgs) keepsData(ctx context.Context, before HealthState) error {
	had := before.mayHaveData()
	if a.Without != nil || slices.ContainsFunc(a.names(), func(name string) bool { return slices.Contains(had, name) }) || founded(ctx, a.Etcd) {
		return nil
	}
	return fmt.Errorf("members: must keep at least one of %s while no member answers: it is not known whether %s has the cluster's data. Start the machines first. Only if there never was a cluster, set skipHealthChecks",
		strings.Join(had, ", "), check.Or(a.names()))
}

// mayHaveData are the members that the gate last saw in the cluster or, as long as it saw
// none, those that the program had then: others came in while nobody could be asked.
func (s HealthState) mayHaveData() []string {
	if len(s.MemberIDs) == 0 {
		return s.names()
	}
	return slices.Sorted(maps.Keys(s.MemberIDs))
}

// hasData reports whether a member of the program is one that votes, and ever ran.
func (v view) hasData(m HealthMember) bool {
	found := v.find(m.Name, m.IP)
	return found != nil && started(found) && !found.IsLearner
}

// neverFounded reports whether there is no cluster yet, of those whom no look has seen:
// at no address of this program or the one before is there anybody, look after look,
// but for members that wait to found it. An update that failed may have made none.
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
