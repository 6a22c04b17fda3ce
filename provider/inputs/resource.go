package inputs

import (
	"context"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/middleware/schema"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Changing is a struct of inputs that can check the step from those before.
type Changing[I any] interface {
	ValidateChange(before I) []check.Problem
}

// Deciding is a custom resource that has a say in what its changes do.
type Deciding interface {
	Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse
}

// Hiding is a custom resource of whose changes a preview shows some not: they tell a person nothing,
// or something else tells them.
type Hiding interface {
	Hides(resource urn.URN, path string) bool
}

// Worded is a custom resource that components make as well. Who reads of a problem there has written other inputs:
// it is told by their paths.
type Worded interface {
	InProgram(resource urn.URN, problem check.Problem) check.Problem
}

// InputsOnly is a custom resource without outputs. Its state is its inputs: those are kept once, and not
// again as outputs, for the engine writes all that it keeps after each step.
type InputsOnly interface{ InputsOnly() }

// Noted is a struct of inputs that is remembered while a program runs. before
// are the inputs in the state, if there are any.
type Noted interface {
	InProgram(ctx context.Context, before property.Map)
}

// Resource is a custom resource whose inputs are checked as those of a
// Component are: against the schema and by the rules of I, all problems at
// once. An input called name defaults to the name of the resource. A change is
// what differs in the inputs; the order in a list does not count. What the
// schema calls secret is secret in the state, wherever it came from.
func Resource[R infer.CustomResource[I, O], I Checked, O any](r R) infer.InferredResource {
	inner := infer.Resource[R, I, O](r)
	spec := sync.OnceValues(func() (inputSchema, error) { return schemaOf[I, struct{}](inner) })
	deciding, _ := any(r).(Deciding)
	hiding, _ := any(r).(Hiding)
	worded, _ := any(r).(Worded)
	_, inputsOnly := any(r).(InputsOnly)
	return custom[I]{inner, spec, deciding, hiding, worded, inputsOnly}
}

type custom[I Checked] struct {
	infer.InferredResource
	spec     func() (inputSchema, error)
	deciding Deciding // or nil
	hiding   Hiding   // or nil
	worded   Worded   // or nil

	inputsOnly bool
}

// GetSchema is infer's, once I is known to be what the rest relies on.
func (r custom[I]) GetSchema(reg schema.RegisterDerivativeType) (pschema.ResourceSpec, error) {
	if _, err := r.spec(); err != nil {
		return pschema.ResourceSpec{}, err
	}
	made, err := r.InferredResource.GetSchema(reg)
	if r.inputsOnly {
		made.Properties, made.Required = nil, nil
	}
	return made, err
}

// Check gives problems as texts with their paths. Of a failure that names a
// property the engine would print the value too, secrets in clear.
func (r custom[I]) Check(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	spec, err := r.spec()
	if err != nil {
		return p.CheckResponse{}, err
	}
	checked, err := examine[I](ctx, spec, named(spec, req.Urn, req.Inputs))
	if err != nil {
		return p.CheckResponse{}, checked.secrets.redactError(err)
	}
	if changing, can := any(checked.args).(Changing[I]); can && len(checked.problems) == 0 && req.State.Len() > 0 {
		before, err := examine[I](ctx, spec, req.State)
		if err != nil {
			return p.CheckResponse{}, checked.secrets.redactError(err)
		}
		checked.add(changing.ValidateChange(before.args))
	}
	var failures []p.CheckFailure
	for _, problem := range checked.secrets.redactAll(checked.problems) {
		if r.worded != nil {
			problem = r.worded.InProgram(req.Urn, problem)
		}
		failures = append(failures, p.CheckFailure{Reason: problem.String()})
	}
	if len(failures) > 0 {
		return p.CheckResponse{Inputs: property.Map{}, Failures: failures}, nil
	}
	if warned, is := any(checked.args).(Warned); is {
		for _, warning := range checked.secrets.redactAll(warned.Warnings()) {
			if !doubtful(warning, checked.doubtful) {
				p.GetLogger(ctx).Warning(warning.String())
			}
		}
	}
	if noted, is := any(checked.args).(Noted); is {
		noted.InProgram(ctx, req.State)
	}
	req.Inputs = checked.plain
	resp, err := r.InferredResource.Check(ctx, req)
	resp.Inputs = spec.gatherSecrets(filled(property.New(checked.plain), property.New(resp.Inputs)).AsMap())
	return resp, err
}

// filled takes from what infer makes of given just the defaults: it calls
// known what is both secret and unknown.
func filled(given, made property.Value) property.Value {
	switch {
	case given.IsNull():
		return made
	case given.IsMap() && made.IsMap():
		all := given.AsMap()
		for key, v := range made.AsMap().All {
			all = all.Set(key, filled(all.Get(key), v))
		}
		return property.New(all)
	case given.IsArray() && made.IsArray():
		items := given.AsArray().AsSlice()
		for i, v := range made.AsArray().All {
			items[i] = filled(items[i], v)
		}
		return property.New(property.NewArray(items))
	}
	return given
}

func (r custom[I]) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	spec, err := r.spec()
	if err != nil {
		return p.DiffResponse{}, err
	}
	changes := spec.changes(req.OldInputs, req.Inputs)
	answer := p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
	if r.deciding != nil {
		answer = r.deciding.Decide(ctx, req, changes)
	}
	return shown(req.Urn, answer, r.hiding), nil
}

func (r custom[I]) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	spec, err := r.spec()
	if err != nil {
		return p.CreateResponse{}, err
	}
	resp, err := r.InferredResource.Create(ctx, req)
	if r.inputsOnly {
		resp.Properties = property.Map{}
		return resp, err
	}
	resp.Properties = spec.markSecrets(spec.outputs, spec.keepUnknown(req.Properties, resp.Properties))
	return resp, err
}

func (r custom[I]) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	spec, err := r.spec()
	if err != nil {
		return p.UpdateResponse{}, err
	}
	if r.inputsOnly {
		req.State = req.OldInputs
	}
	resp, err := r.InferredResource.Update(ctx, req)
	if r.inputsOnly {
		resp.Properties = property.Map{}
		return resp, err
	}
	resp.Properties = spec.markSecrets(spec.outputs, spec.keepUnknown(req.Inputs, resp.Properties))
	return resp, err
}

func (r custom[I]) Read(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	spec, err := r.spec()
	if err != nil {
		return p.ReadResponse{}, err
	}
	if r.inputsOnly {
		return p.ReadResponse{ID: req.ID, Inputs: req.Inputs}, nil // there is nothing to see
	}
	resp, err := r.InferredResource.Read(ctx, req)
	resp.Inputs = spec.markSecrets(spec.object.Properties, resp.Inputs)
	resp.Properties = spec.markSecrets(spec.outputs, resp.Properties)
	return resp, err
}
