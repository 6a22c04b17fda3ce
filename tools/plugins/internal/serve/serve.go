// Package serve makes the package schema that the plugins serve.
package serve

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfgen"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
)

// MustSchema generates the schema in process and without docs, so that the
// repository need not carry it.
func MustSchema(provider tfbridge.ProviderInfo) []byte {
	schema, err := schemaOf(provider)
	if err != nil {
		fmt.Fprintf(os.Stderr, "schema of %s: %v\n", provider.Name, err)
		os.Exit(1)
	}
	return schema
}

func schemaOf(provider tfbridge.ProviderInfo) ([]byte, error) {
	generated, err := tfgen.GenerateSchemaWithOptions(tfgen.GenerateSchemaOptions{
		ProviderInfo:    provider,
		DiagnosticsSink: diag.DefaultSink(os.Stderr, os.Stderr, diag.FormatOptions{Color: colors.Never}),
		XInMemoryDocs:   true,
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(generated.PackageSpec)
}
