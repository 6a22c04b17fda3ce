package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// foreseeing bounds how long a preview asks which releases run.
const foreseeing = 5 * time.Second

// version is the release that a member runs, or "" while it does not answer.
func (v view) version(m *etcdserverpb.Member) string {
	if s := v.of(m).status; s != nil {
		return s.Version
	}
	return ""
}

// running are the releases of all members that answer.
func (v view) running() (all []string) {
	for _, m := range v.list {
		if version := v.version(m); version != "" {
			all = append(all, version)
		}
	}
	return all
}

// checkRelease checks another release against those that the members run, also in a
// preview: the release that the program had last may never have been in force.
// If the cluster does not answer, the gate checks it, before anything changes.
func (a HealthArgs) checkRelease(ctx context.Context, before HealthState) error {
	another := a.Version != nil && ptr.Value(a.Version) != ptr.Value(before.Version)
	unpinned := a.Version == nil && *a.Require == Quorum && a.Without == nil
	noMore := unpinned && before.Version != nil
	rebuilt := unpinned && !maps.EqualFunc(before.Triggers, a.Triggers, guest.Unchanged)
	if ptr.Value(a.SkipHealthChecks) || !another && !noMore && !rebuilt || !accepted(ctx, a.Etcd.Endpoints) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, foreseeing)
	defer cancel()
	var refusal error
	_ = newRootLogin(a.Etcd, &before.Etcd, before.RootPasswords).do(ctx, func(ctx context.Context, client *clientv3.Client) error {
		v, err := look(ctx, client, a.Etcd)
		if err != nil {
			return err
		}
		if refusal = a.upgradable(v); refusal == nil && a.prepares() {
			refusal = a.mayGoDown(v, before)
		}
		if target := config.Down(v.running(), ptr.Value(a.Version)); refusal == nil && target != "" {
			p.GetLogger(ctx).Warningf("etcd goes back from %s to %s: first the whole cluster makes its data such that that release can read them, and does without what is new in the later one; then one member after the other changes. Have a backup", v.running()[0], *a.Version)
		}
		if noMore || rebuilt {
			warnOfLater(ctx, v.running())
		}
		if noMore {
			warnOfEarlier(ctx, v.running())
		}
		return nil
	})
	return refusal
}

// warnOfLater warns of members that the next minor version does not take as they are, where
// machines may get that one with their image, a package or the artifact.
func warnOfLater(ctx context.Context, running []string) {
	if i := slices.IndexFunc(running, config.BlocksNextMinor); i >= 0 {
		p.GetLogger(ctx).Warningf("members run etcd %s, and etcd.version is not given: if the image or the artifact has 3.6, they may not start, with `too many learner members in cluster`. "+
			"Give etcd.version %s or a later 3.5 first: https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/", running[i], config.LeadsToNextMinor)
	}
}

// warnOfEarlier warns that machines whose release is no longer pinned may get one that
// cannot read their data: that of the distribution is often of an earlier minor version.
func warnOfEarlier(ctx context.Context, running []string) {
	if i := slices.IndexFunc(running, config.HasWayBack); i >= 0 {
		p.GetLogger(ctx).Warningf("members run etcd %s, and etcd.version is not given any more: if the package, the image or the artifact has an earlier minor version, they do not start, with `cluster cannot be downgraded`. "+
			"Give etcd.version the release there is, or first one of the minor version before", running[i])
	}
}

// outOfStep says why a member with the release own cannot become a voting
// member, or "".
func (v view) outOfStep(own string) string {
	for _, m := range v.list {
		if reason := config.Up(v.version(m), own); !m.IsLearner && reason != "" {
			return fmt.Sprintf("it runs etcd %s, and %s runs %s: the version of all members %s", own, called(m), v.version(m), reason)
		}
	}
	return ""
}
