package provider

import (
	"embed"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// examples show each resource and function in all languages. `make generate` makes them of
// the YAML programs beside them.
//
//go:embed examples/*.md
var examples embed.FS

// showExamples puts the example of each resource and function below its description.
func showExamples(spec schema.PackageSpec) {
	for token, resource := range spec.Resources {
		example, err := examples.ReadFile("examples/" + strings.TrimPrefix(token, "quorum:index:") + ".md")
		if err != nil {
			continue // what only components make has none
		}
		resource.Description += "\n\n" + string(example)
		spec.Resources[token] = resource
	}
	for token, function := range spec.Functions {
		if example, err := examples.ReadFile("examples/" + strings.TrimPrefix(token, "quorum:index:") + ".md"); err == nil {
			function.Description += "\n\n" + string(example)
			spec.Functions[token] = function
		}
	}
}
