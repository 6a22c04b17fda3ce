package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// MayEmpty refuses that what the data of a member lie on is made anew while it serves and a cluster of
// one or two members has no quorum without it: also in a preview, where --replace names a data volume. One
// that somebody deleted is missing, but the member's machine may run on and have the data in the
// deleted file: they would be lost with it, although the next volume has the id of the last one.
func MayEmpty(ctx context.Context, c host.EtcdConnection, name string, members []HealthMember) error {
	at := slices.IndexFunc(members, func(m HealthMember) bool { return m.Name == name })
	if len(members) > 2 || at < 0 || !runsWithData(ctx, c, endpoint(members[at].IP)) {
		return nil
	}
	const asFound = "%s runs, but its data are on a volume that was deleted or is to be replaced, and are lost with its machine: "
	if len(members) == 1 {
		return fmt.Errorf(asFound+"no other member has them. Add two members first, in an update of its own, or allow the loss with allowDataLoss: true", name)
	}
	return fmt.Errorf(asFound+"a cluster of two members has no quorum without both. Add a third member first, in an update of its own", name)
}

// runsWithData reports whether etcd answers at an address, be it that it lacks a quorum, and does not
// wait there for data.
func runsWithData(ctx context.Context, c host.EtcdConnection, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*answerTimeout)
	defer cancel()
	secure, err := tlsConfig(c)
	if err != nil {
		return false
	}
	fault, _ := unhealthy(ctx, secure, address)
	if fault != "" && !strings.HasPrefix(fault, isUnhealthy) {
		return false
	}
	_, waits := pageAt(ctx, secure, address)
	return !waits
}
