package inputs

import (
	"strings"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// expandUnknown replaces an unknown object by one whose required inputs are unknown,
// so that it gets its defaults, and an unknown list of objects by a list of one such
// object. So every object that rules and components see has its required inputs.
func (s inputSchema) expandUnknown(t pschema.TypeSpec, v property.Value) property.Value {
	object, isObject := s.objectOf(t)
	switch {
	case isObject && v.IsComputed():
		return property.New(s.expandObject(object, property.Map{}))
	case isObject && v.IsMap():
		return property.New(s.expandObject(object, v.AsMap()))
	case v.IsComputed() && s.isListOfObjects(t):
		return property.New([]property.Value{s.expandUnknown(*t.Items, v)})
	case t.Items != nil && v.IsArray():
		items := v.AsArray().AsSlice()
		for i := range items {
			items[i] = s.expandUnknown(*t.Items, items[i])
		}
		return property.New(property.NewArray(items))
	case t.AdditionalProperties != nil && v.IsMap():
		entries := v.AsMap().AsMap()
		for key := range entries {
			entries[key] = s.expandUnknown(*t.AdditionalProperties, entries[key])
		}
		return property.New(entries)
	}
	return v
}

func (s inputSchema) expandObject(spec pschema.ObjectTypeSpec, given property.Map) property.Map {
	for _, name := range spec.Required {
		if given.Get(name).IsNull() {
			given = given.Set(name, property.New(property.Computed))
		}
	}
	for name, v := range given.All {
		given = given.Set(name, s.expandUnknown(spec.Properties[name].TypeSpec, v))
	}
	return given
}

// objectOf is the type t, if it is one of objects.
func (s inputSchema) objectOf(t pschema.TypeSpec) (pschema.ObjectTypeSpec, bool) {
	named, found := s.types[strings.TrimPrefix(t.Ref, "#/types/")]
	return named.ObjectTypeSpec, found && len(named.Enum) == 0
}

func (s inputSchema) isListOfObjects(t pschema.TypeSpec) bool {
	if t.Items == nil {
		return false
	}
	_, is := s.objectOf(*t.Items)
	return is
}
