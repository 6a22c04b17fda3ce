package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// place is where a value is, or could be, among the inputs of a resource.
type place struct {
	path   []any  // names and indices
	text   string // as a message names it
	schema schema.PropertySpec
	given  bool
}

// kind is the same for all elements of a list.
func (p place) kind() string {
	return fmt.Sprint(regexp.MustCompile(`\[\d+\]`).ReplaceAllString(p.text, "[]"), " ", p.given)
}

// guide walks inputs beside their schema.
type guide struct {
	spec   schema.PackageSpec
	places []place
}

// placesOf are those of all inputs that the schema has of a resource, but of a
// long list only the first and the last.
func placesOf(spec schema.PackageSpec, c component, in property.Map) []place {
	g := guide{spec: spec}
	g.object(spec.Resources["quorum:index:"+c.kind].InputProperties, in, nil, "")
	return g.places
}

func (g *guide) object(of map[string]schema.PropertySpec, in property.Map, path []any, text string) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		g.value(of[name], in.Get(name), below(path, name), joined(text, name))
	}
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (g *guide) value(of schema.PropertySpec, v property.Value, path []any, text string) {
	g.places = append(g.places, place{path, text, of, !v.IsNull()})
	named := g.spec.Types[strings.TrimPrefix(of.Ref, "#/types/")]
	switch {
	case len(named.Properties) > 0 && v.IsMap():
		g.object(named.Properties, v.AsMap(), path, text)
	case of.Items != nil && v.IsArray():
		for i := range v.AsArray().Len() {
			if i == 0 || i == v.AsArray().Len()-1 {
				g.value(schema.PropertySpec{TypeSpec: *of.Items, Secret: of.Secret}, v.AsArray().Get(i), below(path, i), fmt.Sprintf("%s[%d]", text, i))
			}
		}
	case of.AdditionalProperties != nil && v.IsMap():
		entries := v.AsMap()
		for key := range entries.AllStable {
			g.value(schema.PropertySpec{TypeSpec: *of.AdditionalProperties, Secret: of.Secret}, entries.Get(key), below(path, key), joined(text, key))
		}
	}
}

func below(path []any, step any) []any { return append(slices.Clip(path), step) }

// with is in with another value at a place.
func (p place) with(in property.Map, v property.Value) property.Map {
	return replaced(property.New(in), p.path, v).AsMap()
}

func replaced(in property.Value, path []any, v property.Value) property.Value {
	if len(path) == 0 {
		return v
	}
	if i, is := path[0].(int); is {
		items := in.AsArray().AsSlice()
		items[i] = replaced(items[i], path[1:], v)
		return property.WithGoValue(in, property.NewArray(items))
	}
	name, entries := path[0].(string), in.AsMap()
	return property.WithGoValue(in, entries.Set(name, replaced(entries.Get(name), path[1:], v)))
}
