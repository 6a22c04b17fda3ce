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

// Erase deletes a thing by do, or says why not.
//
// While a program runs, the thing was taken out of it and has to go: a user who
// stayed could still log in. Without a program the whole stack is destroyed,
// etcd itself perhaps before its users, and a cluster that cannot be entered
// must not stand in the way.
//
// What belongs to another resource of the program now is left to that.
func (t Thing) Erase(ctx context.Context, do func(context.Context, *clientv3.Client) error) error {
	if owner := t.owner(ctx); owner != "" {
		p.GetLogger(ctx).Warning(fmt.Sprintf("%s was kept in etcd: the resource %s of the program manages it now", t, owner.Name()))
		return nil
	}
	if !running.Program(ctx) {
		err := lately(ctx, t.Etcd)
		if err == nil {
			err = note(ctx, t.Etcd, With(ctx, t.Etcd, do))
		}
		if barred(err) {
			p.GetLogger(ctx).Warning(fmt.Sprintf("%s was not deleted from etcd, but removed from the state, as when the stack is destroyed: %s", t, err))
			return nil
		}
		return err
	}
	err := inTurn(ctx, connections(ctx, t.Etcd), do)
	if barred(err) {
		return fmt.Errorf("%s was not deleted from etcd: %w\nThe next `pulumi up` tries again. If the cluster will never return, "+
			"`pulumi destroy --target '%s'` removes this resource from the state", t, err, running.URN(ctx))
	}
	return err
}

// inTurn tries one connection after the other, until one gets in.
func inTurn(ctx context.Context, all []host.EtcdConnection, do func(context.Context, *clientv3.Client) error) (err error) {
	for _, c := range all {
		if err = With(ctx, c, do); !barred(err) {
			return err
		}
	}
	return err
}

// barred reports whether err is that of a cluster that was not entered: it did
// not answer, had no quorum, or one side refused the other's certificate or
// password.
func barred(err error) bool {
	return err != nil && (notNow(err) || refusedByTLS(err) || errors.Is(err, rpctypes.ErrAuthFailed) ||
		isAnswer(err, rpctypes.ErrAuthFailed) || isAnswer(err, rpctypes.ErrInvalidAuthToken))
}
