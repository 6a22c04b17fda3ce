package admin

import (
	"context"

	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// refresh looks what has become of a thing: by the connection of its resource or, for one
// that is being imported, by that of the environment. A thing that is gone is nothing; what
// cannot be read stays as it was kept. Of the connection, an import may show a part.
func refresh[A, S any](
	ctx context.Context, t Thing, etcd *host.EtcdConnection, kept infer.ReadResponse[A, S],
	look func(context.Context, *clientv3.Client) (gone bool, err error),
	found func(shown host.EtcdConnection) infer.ReadResponse[A, S],
) (infer.ReadResponse[A, S], error) {
	imported, gone := len(etcd.Endpoints) == 0, false
	shown, err := orFromEnvironment(etcd)
	if err == nil {
		err = Glance(ctx, *etcd, func(ctx context.Context, c *clientv3.Client) (err error) {
			gone, err = look(ctx, c)
			return err
		})
	}
	switch {
	case !imported && isUnread(err):
		t.Unread(ctx, err)
		return kept, nil
	case gone || err != nil:
		return infer.ReadResponse[A, S]{}, err
	}
	return found(shown), nil
}
