package inputs

import (
	"maps"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// Derive makes the Inputs of a child component from those of its parent, as m maps
// them. made are outputs of other resources, by the child's paths: they replace what
// m has there.
func Derive[A, B any](in Inputs[A], m *Mapping[A, B], made map[string]pulumi.Output) Inputs[B] {
	out := Inputs[B]{Args: *m.to, leaves: map[string]pulumi.AnyOutput{}, secrets: in.secrets, served: in.served}
	for own, theirs := range m.paths {
		for path, leaf := range in.leaves {
			if check.Within(path, theirs) {
				out.leaves[own+strings.TrimPrefix(path, theirs)] = leaf
			}
		}
		for _, path := range in.unknown {
			switch {
			case check.Within(path, theirs):
				out.unknown = append(out.unknown, own+strings.TrimPrefix(path, theirs))
			case check.Within(theirs, path): // it is in something that is unknown as a whole
				out.unknown = append(out.unknown, own)
				out.leaves[own] = in.leaves[path]
			}
		}
	}
	maps.Copy(out.leaves, anyOutputs(made))
	return out
}

func anyOutputs(made map[string]pulumi.Output) map[string]pulumi.AnyOutput {
	all := map[string]pulumi.AnyOutput{}
	for path, output := range made {
		all[path] = fault.Apply(output, func(v any) any { return v }).(pulumi.AnyOutput)
	}
	return all
}
