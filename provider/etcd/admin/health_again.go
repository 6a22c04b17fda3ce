package admin

import (
	"context"
	"maps"
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// asksAsBefore reports whether what requires a quorum has nothing new that the
// cluster must be asked for: another certificate of ours is none.
func (a HealthArgs) asksAsBefore(before HealthArgs) bool {
	if *a.Require != Quorum && a.Without == nil || !maps.Equal(a.Triggers, before.Triggers) || a.recovers(before) {
		return false
	}
	return a.Without != nil || ptr.Value(a.Version) == ptr.Value(before.Version) && slices.Equal(a.names(), before.names()) && slices.Equal(a.ips(), before.ips())
}

// recovers reports whether the cluster is being re-created from the data of
// one member: there is no quorum before, and less data than there was, maybe, after.
func (a HealthArgs) recovers(before HealthArgs) bool {
	return ptr.Value(a.Recovery) != "" && ptr.Value(a.Recovery) != ptr.Value(before.Recovery)
}

// stillRecovers reports whether a recovery that the gate let begin is not done yet,
// since the update stopped before that: what the gate waited for would come
// behind it.
func (a HealthArgs) stillRecovers(ctx context.Context, before HealthState) bool {
	return ptr.Value(a.Recovery) != "" && before.Revision == 0 && *a.Require == Quorum && !founded(ctx, a.Etcd)
}
