package inputs

import (
	"strings"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// shaped gives what is unknown as a whole the shape that it will have: an
// object its required inputs, which are unknown, and so its defaults; a list of
// objects one of them. Rules and components find no object without what all
// objects of its kind have.
func (s inputSchema) shaped(t pschema.TypeSpec, v property.Value) property.Value {
	object, isObject := s.objectOf(t)
	switch {
	case isObject && v.IsComputed():
		return property.New(s.shapedObject(object, property.Map{}))
	case isObject && v.IsMap():
		return property.New(s.shapedObject(object, v.AsMap()))
	case v.IsComputed() && s.isListOfObjects(t):
		return property.New([]property.Value{s.shaped(*t.Items, v)})
	case t.Items != nil && v.IsArray():
		items := v.AsArray().AsSlice()
		for i := range items {
			items[i] = s.shaped(*t.Items, items[i])
		}
		return property.New(property.NewArray(items))
	case t.AdditionalProperties != nil && v.IsMap():
		entries := v.AsMap().AsMap()
		for key := range entries {
			entries[key] = s.shaped(*t.AdditionalProperties, entries[key])
		}
		return property.New(entries)
	}
	return v
}

func (s inputSchema) shapedObject(spec pschema.ObjectTypeSpec, given property.Map) property.Map {
	for _, name := range spec.Required {
		if given.Get(name).IsNull() {
			given = given.Set(name, property.New(property.Computed))
		}
	}
	for name, v := range given.All {
		given = given.Set(name, s.shaped(spec.Properties[name].TypeSpec, v))
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
