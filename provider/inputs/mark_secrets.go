package inputs

import (
	"strings"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// seal marks as secret what the schema says is, at every depth. infer marks
// what was so in the request, and in an import that is nothing.
func (s inputSchema) seal(specs map[string]pschema.PropertySpec, values property.Map) property.Map {
	for name, v := range values.All {
		spec, known := specs[name]
		if !known || v.IsNull() {
			continue
		}
		v = s.sealValue(spec.TypeSpec, v)
		values = values.Set(name, v.WithSecret(v.Secret() || spec.Secret))
	}
	return values
}

func (s inputSchema) sealValue(t pschema.TypeSpec, v property.Value) property.Value {
	secret, deps := v.Secret(), v.Dependencies()
	named, found := s.types[strings.TrimPrefix(t.Ref, "#/types/")]
	switch {
	case found && v.IsMap():
		v = property.New(s.seal(named.Properties, v.AsMap()))
	case t.Items != nil && v.IsArray():
		list := v.AsArray().AsSlice()
		for i := range list {
			list[i] = s.sealValue(*t.Items, list[i])
		}
		v = property.New(property.NewArray(list)) // an empty one is no nil, which would be null
	case t.AdditionalProperties != nil && v.IsMap():
		object := v.AsMap().AsMap()
		for key := range object {
			object[key] = s.sealValue(*t.AdditionalProperties, object[key])
		}
		v = property.New(object)
	}
	return v.WithSecret(secret).WithDependencies(deps)
}

// mirror has outputs that are inputs too unknown where these are: infer calls an
// unknown list none at all.
func (s inputSchema) mirror(given, made property.Map) property.Map {
	for name, v := range given.All {
		if _, is := s.outputs[name]; is && v.HasComputed() {
			made = made.Set(name, v)
		}
	}
	return made
}
