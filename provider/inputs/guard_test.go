package inputs_test

import (
	"testing"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

type Twin struct {
	A string `pulumi:"a"`
}

func (c *Twin) Annotate(a infer.Annotator) { a.SetToken("index", "Twin") }

type OtherTwin struct {
	B string `pulumi:"b"`
}

func (c *OtherTwin) Annotate(a infer.Annotator) { a.SetToken("index", "Twin") }

type Deep struct {
	Size int `pulumi:"size,optional"`
}

func (c *Deep) Annotate(a infer.Annotator) { a.SetDefault(&c.Size, 3) }

type BadArgs struct {
	Deep  []Deep             `pulumi:"deep"`
	Input pulumi.StringInput `pulumi:"input"`
	Twin  *Twin              `pulumi:"twin,optional"`
	Other *OtherTwin         `pulumi:"other,optional"`
}

func (BadArgs) Validate() []check.Problem { return nil }

type BadMember struct {
	pulumi.ResourceState

	IP pulumi.StringOutput `pulumi:"ip,optional"`
}

func TestWhatInferGetsWrongIsRefused(t *testing.T) {
	t.Parallel()
	prov, err := provider(inputs.Component(func(
		*pulumi.Context, string, inputs.Inputs[BadArgs], ...pulumi.ResourceOption,
	) (*BadMember, error) {
		panic("not reached")
	}))
	require.NoError(t, err)
	s, err := integration.NewServer(t.Context(), "quorum", semver.MustParse("0.1.0"), integration.WithProvider(prov))
	require.NoError(t, err)
	_, err = s.GetSchema(p.GetSchemaRequest{})
	for _, want := range []string{
		"Deep.Size has a default and must be a pointer",
		"BadArgs.Input must be plain",
		"two types are both pkg:index:Twin",
		`output ip must not be "optional"`,
	} {
		assert.ErrorContains(t, err, want)
	}
	_, err = s.Construct(p.ConstructRequest{Urn: "urn:pulumi:stack::project::quorum:inputs_test:BadMember::etcd-1"})
	assert.Error(t, err)
}
