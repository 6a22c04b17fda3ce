package inputs

import (
	"strings"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// markSecrets marks as secret, at every depth, what is secret by the schema. infer marks
// only what was secret in the request, which in an import is nothing.
func (s inputSchema) markSecrets(specs map[string]pschema.PropertySpec, values property.Map) property.Map {
	for name, v := range values.All {
		spec, known := specs[name]
		if !known || v.IsNull() {
			continue
		}
		v = s.markSecretsInValue(spec.TypeSpec, v)
		values = values.Set(name, v.WithSecret(v.Secret() || spec.Secret))
	}
	return values
}

// gatherSecrets makes one secret of a list or a map that is secret by the schema, where all of it is known: in a
// state each has a hundred bytes beside its text. Where some of it is not known, each is a secret by itself, so
// that the rest stays known.
func (s inputSchema) gatherSecrets(values property.Map) property.Map {
	for name, v := range values.All {
		if s.object.Properties[name].Secret && (v.IsMap() || v.IsArray()) && !v.HasComputed() {
			values = values.Set(name, bare(v).WithSecret(true))
		}
	}
	return values
}

// eachSecret is v with the texts in it secret each by itself.
func eachSecret(v property.Value, all bool) property.Value {
	all = all || v.Secret()
	switch {
	case v.IsArray():
		list := v.AsArray().AsSlice()
		for i := range list {
			list[i] = eachSecret(list[i], all)
		}
		return property.New(property.NewArray(list))
	case v.IsMap():
		object := v.AsMap().AsMap()
		for key := range object {
			object[key] = eachSecret(object[key], all)
		}
		return property.New(object)
	}
	return v.WithSecret(all)
}

func (s inputSchema) markSecretsInValue(t pschema.TypeSpec, v property.Value) property.Value {
	secret, deps := v.Secret(), v.Dependencies()
	named, found := s.types[strings.TrimPrefix(t.Ref, "#/types/")]
	switch {
	case found && v.IsMap():
		v = property.New(s.markSecrets(named.Properties, v.AsMap()))
	case t.Items != nil && v.IsArray():
		list := v.AsArray().AsSlice()
		for i := range list {
			list[i] = s.markSecretsInValue(*t.Items, list[i])
		}
		v = property.New(property.NewArray(list)) // also an empty one: nil would be null
	case t.AdditionalProperties != nil && v.IsMap():
		object := v.AsMap().AsMap()
		for key := range object {
			object[key] = s.markSecretsInValue(*t.AdditionalProperties, object[key])
		}
		v = property.New(object)
	}
	return v.WithSecret(secret).WithDependencies(deps)
}

// keepUnknown makes outputs unknown that have the name of an unknown input: infer returns
// an unknown list as an empty one.
func (s inputSchema) keepUnknown(given, made property.Map) property.Map {
	for name, v := range given.All {
		if _, is := s.outputs[name]; is && v.HasComputed() {
			made = made.Set(name, v)
		}
	}
	return made
}
