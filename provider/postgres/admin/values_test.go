package admin_test

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"
)

func object(pairs ...any) property.Map {
	m := map[string]property.Value{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = value(pairs[i+1])
	}
	return property.NewMap(m)
}

func value(v any) property.Value {
	switch v := v.(type) {
	case string:
		return property.New(v)
	case property.Map:
		return property.New(v)
	case property.Value:
		return v
	case []string:
		list := []property.Value{}
		for _, s := range v {
			list = append(list, property.New(s))
		}
		return property.New(list)
	case bool:
		return property.New(v)
	case int:
		return property.New(float64(v))
	case []property.Map:
		list := []property.Value{}
		for _, m := range v {
			list = append(list, property.New(m))
		}
		return property.New(list)
	}
	panic("no such value")
}

// inPlain reports whether a text is somewhere in v without being secret.
func inPlain(v property.Value, text string) bool {
	switch {
	case v.Secret():
	case v.IsMap():
		for _, e := range v.AsMap().All {
			if inPlain(e, text) {
				return true
			}
		}
	case v.IsArray():
		for _, e := range v.AsArray().All {
			if inPlain(e, text) {
				return true
			}
		}
	case v.IsString():
		return strings.Contains(v.AsString(), text)
	}
	return false
}

// hidden requires a text nowhere in what is kept but as a secret.
func (o *one) hidden(texts ...string) {
	o.w.t.Helper()
	for _, text := range texts {
		require.False(o.w.t, inPlain(property.New(o.inputs), text) || inPlain(property.New(o.state), text), "%s is in plain", text)
	}
}
