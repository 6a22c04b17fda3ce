package inputs

import (
	"testing"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/emptypb"
)

type stateOf struct{ registered chan struct{} }

func (stateOf) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

func (stateOf) NewResource(a pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	return a.Name, nil, nil
}

func (s stateOf) RegisterResourceOutputs() (*emptypb.Empty, error) {
	s.registered <- struct{}{}
	return &emptypb.Empty{}, nil
}

type made struct {
	pulumi.ResourceState

	IP pulumi.StringOutput `pulumi:"ip"`
}

// The integration server's monitor swallows outputs, so that this is apart.
func TestOutputsReachTheState(t *testing.T) {
	t.Parallel()
	state := stateOf{make(chan struct{}, 10)}
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		m := &made{IP: pulumi.String("10.0.0.1").ToStringOutput()}
		if err := ctx.RegisterComponentResource("a:b:C", "c", m); err != nil {
			return err
		}
		result, err := register(ctx, m, map[string]pschema.PropertySpec{"ip": {Secret: true}})
		if err != nil {
			return err
		}
		ip, ok := result.State.(pulumi.Map)["ip"].(pulumi.Output)
		assert.True(t, ok && pulumi.IsSecret(ip))
		return nil
	}, pulumi.WithMocks("project", "stack", state))
	require.NoError(t, err)
	assert.NotEmpty(t, state.registered)
}
