// Package inputs reads a component's inputs: plain values to render from, and
// Pulumi inputs to pass on to children.
//
// Component takes infer's schema of a plain Go struct and does what infer
// leaves undone for components: it checks what was given against that schema
// and the struct's own rules, all problems at once and before anything is
// registered, applies the defaults and decodes. Build then gets Inputs.
package inputs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/middleware/schema"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// Checked is a struct of inputs that can check itself. At preview what is
// unknown is zero; problems found there are left out (see check.Problem).
type Checked interface{ Validate() []check.Problem }

// Warned is a struct of inputs that are in order and may still not be what is meant. What
// follows from unknown inputs is left out, as with Checked.
type Warned interface{ Warnings() []check.Problem }

// Build makes one component of inputs that are in order.
type Build[A any, C pulumi.ComponentResource] func(
	ctx *pulumi.Context, name string, in Inputs[A], opts ...pulumi.ResourceOption,
) (C, error)

// Component is the component that build makes, with inputs A and outputs C.
func Component[A Checked, C pulumi.ComponentResource](build Build[A, C]) infer.InferredComponent {
	inner := infer.ComponentF(func(*pulumi.Context, string, A, ...pulumi.ResourceOption) (C, error) {
		var none C
		return none, errors.New("inputs: infer's own Construct is not used")
	})
	spec := sync.OnceValues(func() (inputSchema, error) { return schemaOf[A, C](inner) })
	return component[A, C]{inner, build, spec}
}

type component[A Checked, C pulumi.ComponentResource] struct {
	infer.InferredComponent
	build Build[A, C]
	spec  func() (inputSchema, error)
}

// GetSchema is infer's, once A and C are known to be what the rest relies on.
func (c component[A, C]) GetSchema(reg schema.RegisterDerivativeType) (pschema.ResourceSpec, error) {
	if _, err := c.spec(); err != nil {
		return pschema.ResourceSpec{}, err
	}
	return c.InferredComponent.GetSchema(reg)
}

func (c component[A, C]) Construct(ctx context.Context, req p.ConstructRequest) (p.ConstructResponse, error) {
	spec, err := c.spec()
	if err != nil {
		return p.ConstructResponse{}, err
	}
	in, leaves, err := read[A](ctx, spec, req)
	if err != nil {
		return p.ConstructResponse{}, err
	}
	req.Inputs = leaves
	among := in.warningsInProgram(ctx, req.Urn)
	resp, err := p.ProgramConstruct(ctx, req, func(
		ctx *pulumi.Context, _, name string, given provider.ConstructInputs, opts pulumi.ResourceOption,
	) (*provider.ConstructResult, error) {
		var outputs struct {
			Leaves map[string]pulumi.AnyOutput `pulumi:"leaves"`
		}
		if err := given.CopyTo(&outputs); err != nil {
			return nil, err
		}
		in.leaves = outputs.Leaves
		made, err := fault.Apart(func() (C, error) { return c.build(ctx, name, in, opts) })
		if err != nil {
			return nil, err
		}
		for _, warning := range append(in.warnings(time.Now()), among...) {
			if err := ctx.Log.Warn(warning, &pulumi.LogArgs{Resource: made}); err != nil {
				return nil, err
			}
		}
		return register(ctx, made, spec.outputs)
	})
	return resp, in.secrets.redactError(canceled(err))
}

// closing is what is left of gRPC's error when the engine has given up before the component.
const closing = "grpc: the client connection is closing"

// canceled is err, but for what the SDK makes of the failure of a resource that
// the component is made of: a chain of all that waited for it.
func canceled(err error) error {
	if status.Code(err) == codes.Canceled || err != nil && err.Error() == closing {
		return errors.New("not all of its resources could be created or updated: see the error of the resource that failed")
	}
	return err
}

// register puts a component's outputs into its state: what Construct returns
// reaches only the caller.
func register(
	ctx *pulumi.Context, made pulumi.ComponentResource, specs map[string]pschema.PropertySpec,
) (*provider.ConstructResult, error) {
	result, err := provider.NewConstructResult(made)
	if err != nil {
		return nil, err
	}
	outputs, ok := result.State.(pulumi.Map)
	if !ok {
		return nil, errors.New("inputs: the outputs of a component are no map")
	}
	for name := range outputs {
		if specs[name].Secret {
			outputs[name] = pulumi.ToSecret(outputs[name])
		}
	}
	return result, ctx.RegisterResourceOutputs(made, outputs)
}

// title is how a user names a resource: quorum:EtcdServer "etcd-1".
func title(urn resource.URN) string {
	token := strings.Replace(string(urn.Type()), ":index:", ":", 1)
	return token + ` "` + urn.Name() + `"`
}
