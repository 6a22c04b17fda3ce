package provider

// languages are the settings of the SDKs. The names of the published packages
// stand here, and for Maven in tools/sdkgen/pom.xml.
var languages = map[string]any{
	"go": map[string]any{
		"importBasePath":                 "github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum",
		"generateResourceContainerTypes": true,
		"respectSchemaVersion":           true,
	},
	"nodejs": map[string]any{"packageName": "pulumi-quorum", "packageDescription": description, "respectSchemaVersion": true},
	"python": map[string]any{
		"packageName":          "pulumi_quorum",
		"pyproject":            map[string]any{"enabled": true},
		"respectSchemaVersion": true,
	},
	"csharp": map[string]any{"rootNamespace": "PulumiQuorum", "respectSchemaVersion": true},
	"java":   map[string]any{"basePackage": "io.github.pulumi_quorum"},
}
