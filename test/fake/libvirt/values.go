package main

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// unknown stands for a value that is not known before the update.
type unknown struct{}

// plain strips secretness and dependencies from inputs: neither makes a
// difference to a provider.
func plain(m property.Map) props {
	out := props{}
	for key, value := range m.All {
		out[key] = plainValue(value)
	}
	return out
}

func plainValue(v property.Value) any {
	switch {
	case v.IsComputed():
		return unknown{}
	case v.IsMap():
		return map[string]any(plain(v.AsMap()))
	case v.IsArray():
		list := make([]any, 0, v.AsArray().Len())
		for _, element := range v.AsArray().All {
			list = append(list, plainValue(element))
		}
		return list
	case v.IsString():
		return v.AsString()
	case v.IsNumber():
		return v.AsNumber()
	case v.IsBool():
		return v.AsBool()
	}
	return nil
}

// toValue is the way back for what a provider computes.
func toValue(v any) property.Value {
	switch v := v.(type) {
	case string:
		return property.New(v)
	case int:
		return property.New(float64(v))
	case float64:
		return property.New(v)
	case bool:
		return property.New(v)
	case []any:
		list := make([]property.Value, len(v))
		for i, element := range v {
			list[i] = toValue(element)
		}
		return property.New(list)
	case map[string]any:
		m := make(map[string]property.Value, len(v))
		for key, element := range v {
			m[key] = toValue(element)
		}
		return property.New(m)
	}
	return property.Value{}
}

// props are plain inputs or outputs with shorthands to read them.
type props map[string]any

func (m props) has(key string) bool {
	value, ok := m[key]
	return ok && value != nil
}

func (m props) text(key string) string {
	value, _ := m[key].(string)
	return value
}

func (m props) number(key string) float64 {
	value, _ := m[key].(float64)
	return value
}

func (m props) flag(key string) bool {
	value, _ := m[key].(bool)
	return value
}

func (m props) texts(key string) []string {
	list, _ := m[key].([]any)
	texts := make([]string, 0, len(list))
	for _, element := range list {
		if text, ok := element.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func (m props) objects(key string) []props {
	list, _ := m[key].([]any)
	objects := make([]props, 0, len(list))
	for _, element := range list {
		if object, ok := element.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

func (m props) object(key string) props {
	object, _ := m[key].(map[string]any)
	return object
}

// changed lists the keys whose values differ.
func changed(before, after props) []string {
	all := map[string]bool{}
	for _, m := range []props{before, after} {
		for key := range m {
			all[key] = true
		}
	}
	for key := range all {
		if len(key) > 2 && key[:2] == "__" || reflect.DeepEqual(before[key], after[key]) {
			delete(all, key)
		}
	}
	return sorted(all)
}
