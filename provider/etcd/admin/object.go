package admin

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Object is what a resource manages in etcd: a user, a role, a key.
type Object = object.Object[host.EtcdConnection]

// Delete deletes an object with do, or returns why it could not.
func Delete(ctx context.Context, o Object, do func(context.Context, *clientv3.Client) error) error {
	return o.Delete(ctx, noAccess, away, func(ctx context.Context, c host.EtcdConnection) error { return With(ctx, c, do) })
}

// noAccess reports whether err is that of a cluster that could not be accessed: it did
// not answer, had no quorum, or one side refused the other's certificate or password.
func noAccess(err error) bool {
	return err != nil && (notNow(err) || refusedByTLS(err) || errors.Is(err, rpctypes.ErrAuthFailed) ||
		isAnswer(err, rpctypes.ErrAuthFailed) || isAnswer(err, rpctypes.ErrInvalidAuthToken))
}

// away reports whether err is that of a cluster which a refresh need not ask again soon.
func away(err error) bool { return Unreachable(err) || refusedByTLS(err) }

// ForRefresh is With for a refresh, which must not take long: it fails after a few
// seconds, and at once if the cluster has not answered in the last minute.
func ForRefresh(ctx context.Context, c host.EtcdConnection, do func(context.Context, *clientv3.Client) error) error {
	return object.ForRefresh(ctx, c, away, func(ctx context.Context) error { return With(ctx, c, do) })
}

// InProgram notes how the program reaches the cluster. HealthArgs implements inputs.Noted.
func (a HealthArgs) InProgram(ctx context.Context, _ property.Map) {
	Object{Kind: "gate", Name: running.URN(ctx).Name(), By: a.Etcd}.InProgram(ctx, "")
}

// InProgram notes which member the program has. MemberArgs implements inputs.Noted.
func (a MemberArgs) InProgram(ctx context.Context, before property.Map) {
	Object{Kind: "member", Name: a.Name, By: a.Etcd}.InProgram(ctx, guard.Text(before.Get("name")))
}
