package admin

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// old is an etcd up to 3.4, where a member alone says who the members are.
type old struct{ clientv3.Cluster }

func (o old) MemberList(ctx context.Context, _ ...clientv3.OpOption) (*clientv3.MemberListResponse, error) {
	return o.Cluster.MemberList(ctx, clientv3.WithSerializable())
}

// TestListNeedsQuorum takes the word of no single member for that of a cluster.
func TestListNeedsQuorum(t *testing.T) {
	t.Parallel()
	e := embedetcd.Start(t, false)
	root := e.Root(t)
	root.Cluster = old{root.Cluster}
	v, err := list(t.Context(), root)
	require.NoError(t, err)
	assert.Len(t, v.list, 1)

	embedetcd.Away["it has no quorum"](t, e)
	alone, err := root.MemberList(t.Context())
	require.NoError(t, err)
	assert.Len(t, alone.Members, 2, "one member reports")
	_, err = list(t.Context(), root)
	assert.True(t, notNow(err), err)
}
