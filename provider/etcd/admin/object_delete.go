package admin

import (
	"context"
	"errors"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Delete deletes an object with do, or returns why it could not.
//
// While a program runs, the object was removed from the program and must be deleted: a
// user that stayed could still log in. Without a program the whole stack is destroyed,
// perhaps etcd before its users: a cluster that cannot be reached must not prevent that.
//
// An object that another resource of the program manages now is left to that resource.
func (o Object) Delete(ctx context.Context, do func(context.Context, *clientv3.Client) error) error {
	if owner := o.owner(ctx); owner != "" {
		p.GetLogger(ctx).Warning(fmt.Sprintf("%s was kept in etcd: the resource %s of the program manages it now", o, owner.Name()))
		return nil
	}
	if !running.Program(ctx) {
		err := recentOutage(ctx, o.Etcd)
		if err == nil {
			err = noteOutage(ctx, o.Etcd, With(ctx, o.Etcd, do))
		}
		if noAccess(err) {
			p.GetLogger(ctx).Warning(fmt.Sprintf("%s was not deleted from etcd, but removed from the state, as when the stack is destroyed: %s", o, err))
			return nil
		}
		return err
	}
	err := tryConnections(ctx, connections(ctx, o.Etcd), do)
	if noAccess(err) {
		return fmt.Errorf("%s was not deleted from etcd: %w\nThe next `pulumi up` tries again. If the cluster will never return, "+
			"`pulumi destroy --target '%s'` removes this resource from the state", o, err, running.URN(ctx))
	}
	return err
}

// tryConnections calls do with one connection after the other, until one has access.
func tryConnections(ctx context.Context, all []host.EtcdConnection, do func(context.Context, *clientv3.Client) error) (err error) {
	for _, c := range all {
		if err = With(ctx, c, do); !noAccess(err) {
			return err
		}
	}
	return err
}

// noAccess reports whether err is that of a cluster that could not be accessed: it did
// not answer, had no quorum, or one side refused the other's certificate or password.
func noAccess(err error) bool {
	return err != nil && (notNow(err) || refusedByTLS(err) || errors.Is(err, rpctypes.ErrAuthFailed) ||
		isAnswer(err, rpctypes.ErrAuthFailed) || isAnswer(err, rpctypes.ErrInvalidAuthToken))
}
