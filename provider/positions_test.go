package provider

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	protobuf "google.golang.org/protobuf/proto"
)

func TestPositionsStayHere(t *testing.T) {
	t.Parallel()
	codec := positionless{encoding.GetCodecV2(proto.Name)}
	at := &pulumirpc.SourcePosition{Uri: "file:///provider/server/role.go", Line: 61}
	sent, err := codec.Marshal(&pulumirpc.RegisterResourceRequest{
		Name: "etcd-1", Dependencies: []string{"urn"}, SourcePosition: at,
		StackTrace: &pulumirpc.StackTrace{Frames: []*pulumirpc.StackFrame{{Pc: at}}},
	})
	require.NoError(t, err)
	var got pulumirpc.RegisterResourceRequest
	require.NoError(t, codec.Unmarshal(sent, &got))
	assert.True(t, protobuf.Equal(&pulumirpc.RegisterResourceRequest{Name: "etcd-1", Dependencies: []string{"urn"}}, &got), "%v", &got)
}
