package inputs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// read checks and decodes what a component was given. The map it returns is
// what Construct hands to the SDK to make outputs of: a value for each path.
func read[A Checked](ctx context.Context, spec inputSchema, req p.ConstructRequest) (Inputs[A], property.Map, error) {
	in := Inputs[A]{}
	req.Inputs = named(spec, req)
	r := reader{types: spec.types, leaves: map[string]property.Value{}}
	r.secrets.collect(property.New(req.Inputs), false)
	plain, _ := r.object(spec.object, property.New(req.Inputs), origin{}, "")

	args, failures, err := infer.DefaultCheck[A](ctx, plain.AsMap())
	if err != nil {
		return in, property.Map{}, r.secrets.redactError(fmt.Errorf("%s: %w", title(req), err))
	}
	for _, f := range failures {
		r.problems.Add(f.Property, "%s", f.Reason)
	}
	if len(failures) == 0 {
		for _, problem := range args.Validate() {
			if !doubtful(problem, r.doubtful) {
				r.problems = append(r.problems, problem)
			}
		}
	}
	if len(r.problems) > 0 {
		return in, property.Map{}, errors.New(r.secrets.redact(describe(title(req), r.problems)))
	}
	in = Inputs[A]{Args: args, unknown: r.doubtful, secrets: r.secrets}
	return in, property.NewMap(map[string]property.Value{"leaves": property.New(r.leaves)}), nil
}

// named fills in an input called name, if there is one, with the resource's own.
func named(spec inputSchema, req p.ConstructRequest) property.Map {
	if _, has := spec.object.Properties["name"]; has && req.Inputs.Get("name").IsNull() {
		return req.Inputs.Set("name", property.New(req.Urn.Name()))
	}
	return req.Inputs
}

// describe is a plain text on purpose: of an InputPropertiesError the engine
// prints the values too, secrets among them.
func describe(title string, problems []check.Problem) string {
	var text strings.Builder
	noun := "problems"
	if len(problems) == 1 {
		noun = "problem"
	}
	fmt.Fprintf(&text, "%s: %d %s with its inputs:", title, len(problems), noun)
	for _, problem := range problems {
		fmt.Fprintf(&text, "\n  %s", problem)
	}
	return text.String()
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
