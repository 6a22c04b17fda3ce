package inputs

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// read checks and decodes what a component was given. The map it returns is
// what Construct hands to the SDK to make outputs of: a value for each path.
func read[A Checked](ctx context.Context, spec inputSchema, req p.ConstructRequest) (Inputs[A], property.Map, error) {
	checked, err := examine[A](ctx, spec, named(spec, req.Urn, req.Inputs))
	if err != nil {
		return Inputs[A]{}, property.Map{}, checked.secrets.redactError(fmt.Errorf("%s: %w", title(req.Urn), err))
	}
	if len(checked.problems) > 0 {
		return Inputs[A]{}, property.Map{}, errors.New(describe(checked.secrets.redactAll(checked.problems)))
	}
	in := Inputs[A]{
		Args: checked.args, unknown: checked.doubtful, decisive: checked.from.paths(decisiveUnknowns[A](checked.reader)),
		secrets: checked.secrets, from: checked.from, served: req.Providers,
	}
	in.settings = spec.settingsOf(req.Inputs, checked.written)
	return in, property.NewMap(map[string]property.Value{"leaves": property.New(checked.leaves)}), nil
}

// examined is what inputs turned out to be.
type examined[A any] struct {
	reader
	plain   property.Map
	written property.Map // plain, before anything was laid under it
	args    A
	from    sources
}

// examine checks inputs against their schema and, where that finds nothing
// that keeps them from being decoded, by their own rules.
func examine[A Checked](ctx context.Context, spec inputSchema, given property.Map) (examined[A], error) {
	x := examined[A]{reader: reader{inputSchema: spec, leaves: map[string]property.Value{}}}
	x.secrets.collect(property.New(given), false)
	if sharing, is := any(x.args).(Sharing); is {
		x.written = spec.typed(given)
		given, x.from, x.problems = share(given, sharing.Shared())
		x.partial, x.open = x.from.inputs(), x.from.open
	}
	plain, _ := x.walk(spec.object, property.New(given), origin{}, "")
	x.plain = plain.AsMap()
	if x.from.lists == nil {
		x.written = x.plain
	}

	expanded := spec.expandObject(spec.object, x.plain)
	args, failures, err := infer.DefaultCheck[A](ctx, expanded)
	if err != nil {
		return x, err
	}
	keepEmptyLists(reflect.ValueOf(&args), property.New(expanded))
	x.args = args
	for _, f := range failures {
		x.problems.Add(f.Property, "%s", f.Reason)
	}
	if len(failures) == 0 {
		x.add(args.Validate())
	}
	x.problems = x.from.written(x.problems)
	return x, nil
}

// add adds problems, but for those that may come only of what is unknown.
func (x *examined[A]) add(problems []check.Problem) {
	for _, problem := range problems {
		if slices.Contains(x.nulls, problem.Path) && strings.HasPrefix(problem.Reason, "is required") {
			problem.Reason += ", and is null" + whyNull
		}
		if !doubtful(problem, x.doubtful) {
			x.problems = append(x.problems, problem)
		}
	}
}

// named fills in an input called name, if there is one, with the resource's own.
func named(spec inputSchema, urn resource.URN, given property.Map) property.Map {
	if _, has := spec.object.Properties["name"]; has && given.Get("name").IsNull() {
		return given.Set("name", property.New(urn.Name()))
	}
	return given
}

// describe is a plain text on purpose: of an InputPropertiesError the engine
// prints the values too, secrets among them. The engine says of which resource it is.
func describe(problems []check.Problem) string {
	text := "its inputs are refused:"
	for _, problem := range problems {
		text += "\n  " + problem.String()
	}
	return text
}

// doubtful reports whether a problem may come only of values that are unknown
// or already refused.
func doubtful(problem check.Problem, paths []string) bool {
	for _, path := range append([]string{problem.Path}, problem.Needs...) {
		if overlaps(path, paths, problem.Shallow) {
			return true
		}
	}
	return false
}

// overlaps reports whether path is one of paths or under one or, unless
// shallow, above one.
func overlaps(path string, paths []string, shallow bool) bool {
	for _, other := range paths {
		if check.Within(path, other) || !shallow && check.Within(other, path) {
			return true
		}
	}
	return false
}
