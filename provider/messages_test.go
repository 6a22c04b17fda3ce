package provider

import (
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/protobuf/proto"
)

func TestMessagesHaveNoPlacesOfThisSource(t *testing.T) {
	t.Parallel()
	at := &pulumirpc.SourcePosition{Uri: "file:///provider/server/role.go", Line: 61}
	sent, err := asMessages().Marshal(&pulumirpc.RegisterResourceRequest{
		Name: "etcd-1", Dependencies: []string{"urn"}, SourcePosition: at,
		StackTrace: &pulumirpc.StackTrace{Frames: []*pulumirpc.StackFrame{{Pc: at}}},
	})
	require.NoError(t, err)
	var got pulumirpc.RegisterResourceRequest
	require.NoError(t, asMessages().Unmarshal(sent, &got))
	assert.True(t, proto.Equal(&pulumirpc.RegisterResourceRequest{Name: "etcd-1", Dependencies: []string{"urn"}}, &got), "%v", &got)
}

func TestMessagesTakeNoMoreMemoryThanTheyHaveBytes(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 1000, 40_000, 2_000_000} {
		sent, err := asMessages().Marshal(&pulumirpc.LogRequest{Message: strings.Repeat("x", size)})
		require.NoError(t, err)
		for _, buffer := range sent {
			assert.LessOrEqual(t, cap(buffer.ReadOnlyData()), size+64)
		}
		var got pulumirpc.LogRequest
		require.NoError(t, asMessages().Unmarshal(sent, &got))
		assert.Len(t, got.GetMessage(), size)
	}
}

func TestMessagesOfEtcdAreLeftToGRPC(t *testing.T) {
	t.Parallel()
	sent, err := asMessages().Marshal(&etcdserverpb.PutRequest{Key: []byte("key")})
	require.NoError(t, err)
	var got etcdserverpb.PutRequest
	require.NoError(t, asMessages().Unmarshal(sent, &got))
	assert.Equal(t, []byte("key"), got.GetKey())
}
