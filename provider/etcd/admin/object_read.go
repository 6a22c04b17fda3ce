package admin

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// refresh reads an object again: by the connection of its resource or, if it is being
// imported, by that of the environment. It returns nothing for an object that is gone, and
// the state as it was (kept) for one that cannot be read.
func refresh[A, S any](
	ctx context.Context, o Object, etcd *host.EtcdConnection, kept infer.ReadResponse[A, S],
	look func(context.Context, *clientv3.Client) (gone bool, err error),
	found func(shown host.EtcdConnection) infer.ReadResponse[A, S],
) (infer.ReadResponse[A, S], error) {
	imported, gone := len(etcd.Endpoints) == 0, false
	shown, err := orFromEnvironment(etcd)
	if err == nil {
		err = ForRefresh(ctx, *etcd, func(ctx context.Context, c *clientv3.Client) (err error) {
			gone, err = look(ctx, c)
			return err
		})
	}
	switch {
	case !imported && isUnread(err):
		o.Unread(ctx, err)
		return kept, nil
	case gone || err != nil:
		return infer.ReadResponse[A, S]{}, err
	}
	return found(shown), nil
}

// answerError says what is wrong with the data in etcd, which did answer.
type answerError string

func (e answerError) Error() string { return string(e) }

// isUnread reports whether a refresh could not read from etcd.
func isUnread(err error) bool { return err != nil && !errors.As(err, new(answerError)) }
