package provider

import (
	"embed"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// examples show each resource in all languages. `make generate` makes them of
// the YAML programs beside them.
//
//go:embed examples/*.md
var examples embed.FS

// showExamples puts the example of each resource below its description.
func showExamples(spec schema.PackageSpec) {
	for token, resource := range spec.Resources {
		example, err := examples.ReadFile("examples/" + strings.TrimPrefix(token, "quorum:index:") + ".md")
		if err != nil {
			continue // what only components make has none
		}
		resource.Description += "\n\n" + string(example)
		spec.Resources[token] = resource
	}
}
