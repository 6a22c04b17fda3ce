// Package numbers has where tests write numbers while a cluster changes, and count them:
// in etcd a key is one, in PostgreSQL a row.
package numbers

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Etcd has numbers in an etcd cluster.
type Etcd struct {
	connection host.EtcdConnection
	endpoints  func() []string
	client     *clientv3.Client
}

// InEtcd reaches a cluster by a connection, at the endpoints that it has by and by.
func InEtcd(t testing.TB, c host.EtcdConnection, endpoints func() []string) Etcd {
	t.Helper()
	c.Endpoints = endpoints()
	client, err := admin.Dial(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return Etcd{c, endpoints, client}
}

func key(n int) string { return fmt.Sprintf("/written/%06d", n) }

// Put writes number n, which may be there already.
func (e Etcd) Put(ctx context.Context, n int) error {
	_, err := e.client.Put(ctx, key(n), "written")
	if err != nil {
		e.client.SetEndpoints(e.endpoints()...) // the next try knows all members
	}
	return err
}

// Count is how many numbers below n are there. It asks with a client of its own: one that
// could not connect for minutes waits as long before it tries again, and a member that was
// stopped is in this process, and may keep a connection that it was about to accept.
func (e Etcd) Count(ctx context.Context, n int) (int, error) {
	e.connection.Endpoints = e.endpoints()
	client, err := admin.Dial(ctx, e.connection)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	there, err := client.Get(ctx, "/written/", clientv3.WithRange(key(n)), clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	return int(there.Count), nil
}

// Lose deletes number n, as no cluster may.
func (e Etcd) Lose(ctx context.Context, n int) error {
	_, err := e.client.Delete(ctx, key(n))
	return err
}
