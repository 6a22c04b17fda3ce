package admin

import (
	"context"
	"maps"
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// asksAsBefore reports whether a gate before a change need not wait again,
// since no input that matters has changed: another client certificate does not
// matter.
func (a HealthArgs) asksAsBefore(before HealthArgs) bool {
	if *a.Require != Quorum && a.Without == nil || !maps.EqualFunc(before.Triggers, a.Triggers, guest.Unchanged) || a.recovers(before) {
		return false
	}
	return a.Without != nil || ptr.Value(a.Version) == ptr.Value(before.Version) && slices.Equal(a.names(), before.names()) && slices.Equal(a.ips(), before.ips())
}

// recovers reports whether the cluster is being re-created from the data of one
// member: before that there is no quorum, and after it there may be less data.
func (a HealthArgs) recovers(before HealthArgs) bool {
	return ptr.Value(a.Recovery) != "" && ptr.Value(a.Recovery) != ptr.Value(before.Recovery)
}

// stillRecovers reports whether a recovery that the gate let begin is not done
// yet, since the update stopped before that: the quorum only comes after the
// gate.
func (a HealthArgs) stillRecovers(ctx context.Context, before HealthState) bool {
	return ptr.Value(a.Recovery) != "" && before.Revision == 0 && *a.Require == Quorum && !founded(ctx, a.Etcd)
}
