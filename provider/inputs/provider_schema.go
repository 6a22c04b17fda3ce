package inputs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// Provider makes the schema that a provider emits fit what Component does.
//
// Nothing is plain: outputs are accepted everywhere. Defaults are in the
// descriptions and not in the SDKs, which would turn a whole object into an
// output to add one to it; Component and Resource apply them. Edits are made
// after that. A panic anywhere in a call is an error of that call.
func Provider(prov p.Provider, edits ...func(pschema.PackageSpec)) p.Provider {
	inner := prov.GetSchema
	prov.GetSchema = func(ctx context.Context, req p.GetSchemaRequest) (p.GetSchemaResponse, error) {
		resp, err := inner(ctx, req)
		if err != nil {
			return resp, err
		}
		var spec pschema.PackageSpec
		if err := json.Unmarshal([]byte(resp.Schema), &spec); err != nil {
			return resp, fmt.Errorf("read the schema: %w", err)
		}
		withoutDefaults(spec)
		for _, edit := range edits {
			edit(spec)
		}
		fixed, err := json.Marshal(spec)
		if err != nil {
			return resp, fmt.Errorf("marshal the schema: %w", err)
		}
		resp.Schema = string(fixed)
		return resp, nil
	}
	// The package has no configuration. That of infer makes the schema to find that out, which takes a third of the time
	// in which a plugin starts.
	prov.CheckConfig = func(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		return p.CheckResponse{Inputs: req.Inputs}, nil
	}
	return bounded(prov)
}

func withoutDefaults(spec pschema.PackageSpec) {
	for _, t := range spec.Types {
		withoutDefaultsOf(t.Properties)
	}
	for _, r := range spec.Resources {
		withoutDefaultsOf(r.InputProperties)
		withoutDefaultsOf(r.Properties)
	}
	for _, f := range spec.Functions {
		withoutDefaultsOf(f.Inputs.Properties)
	}
}

func withoutDefaultsOf(props map[string]pschema.PropertySpec) {
	for name, prop := range props {
		notPlain(&prop.TypeSpec)
		if prop.Default != nil {
			sentence := fmt.Sprintf("Defaults to `%s`.", plainDefault(prop.Default))
			prop.Description = strings.TrimSpace(prop.Description + " " + sentence)
			prop.Default = nil
		}
		prop.DefaultInfo = nil
		props[name] = prop
	}
}

func plainDefault(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.Trim(string(text), `"`)
}

func notPlain(t *pschema.TypeSpec) {
	t.Plain = false
	for _, sub := range []*pschema.TypeSpec{t.Items, t.AdditionalProperties} {
		if sub != nil {
			notPlain(sub)
		}
	}
	for i := range t.OneOf {
		notPlain(&t.OneOf[i])
	}
}
