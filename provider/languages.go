package provider

// languages are the settings of the SDKs. The names of the published packages
// stand here and nowhere else.
var languages = map[string]any{
	"go": map[string]any{
		"importBasePath":                 "github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum",
		"generateResourceContainerTypes": true,
		"respectSchemaVersion":           true,
	},
	"nodejs": map[string]any{"packageName": "pulumi-quorum", "respectSchemaVersion": true},
	"python": map[string]any{
		"packageName":          "pulumi_quorum",
		"pyproject":            map[string]any{"enabled": true},
		"respectSchemaVersion": true,
	},
	"csharp": map[string]any{"respectSchemaVersion": true},
}
