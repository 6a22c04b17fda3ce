package object

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Delete deletes an object with do, or returns why it could not. noAccess tells errors
// of a cluster that could not be accessed, and away those of one that did not answer.
//
// While a program runs, the object was removed from the program and must be deleted: a
// user that stayed could still log in. Without a program the whole stack is destroyed,
// perhaps the service before its users: a cluster that cannot be reached must not prevent
// that.
//
// An object that another resource of the program manages now is left to that resource.
func (o Object[C]) Delete(ctx context.Context, noAccess, away func(error) bool, do func(context.Context, C) error) error {
	if owner := o.owner(ctx); owner != "" {
		p.GetLogger(ctx).Warning(fmt.Sprintf("%s was kept in %s: the resource %s of the program manages it now", o, o.By.Service(), owner.Name()))
		return nil
	}
	if !running.Program(ctx) {
		err := Recent(ctx, o.By)
		if err == nil {
			err = Note(ctx, o.By, do(ctx, o.By), away)
		}
		if noAccess(err) {
			p.GetLogger(ctx).Warning(fmt.Sprintf("%s was not deleted from %s, but removed from the state, as when the stack is destroyed: %s", o, o.By.Service(), err))
			return nil
		}
		return err
	}
	err := tryConnections(connections(ctx, o.By), noAccess, func(c C) error { return do(ctx, c) })
	if noAccess(err) {
		return fmt.Errorf("%s was not deleted from %s: %w\nThe next `pulumi up` tries again. If the cluster will never return, "+
			"`pulumi destroy --target '%s'` removes this resource from the state", o, o.By.Service(), err, running.URN(ctx))
	}
	return err
}

// tryConnections calls do with one connection after the other, until one has access.
func tryConnections[C any](all []C, noAccess func(error) bool, do func(C) error) (err error) {
	for _, c := range all {
		if err = do(c); !noAccess(err) {
			return err
		}
	}
	return err
}
