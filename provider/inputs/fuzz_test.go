package inputs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
)

// FuzzConstruct gives the component any JSON; "?" stands for an unknown value
// and a leading "!" for a secret one.
func FuzzConstruct(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"etcd":"?"}`, `{"etcd":{"peers":["?",{"name":"!x"}],"auth":{}},"libvirt":{}}`,
		`{"etcd":{"named":{"":{"ip":[]}},"params":{"a":{}},"dns":[null,[],"?"]},"cloud":"?"}`,
		`{"etcd":{"peers":{"0":1},"mode":1,"quota":"?","auth":"?"},"name":null,"__internal":1,"":{}}`,
	} {
		f.Add(seed)
	}
	s := newServer(f)
	f.Fuzz(func(t *testing.T, data string) {
		var raw map[string]any
		if json.Unmarshal([]byte(data), &raw) != nil || !shortKeys(raw) {
			t.Skip()
		}
		_, err := s.construct(fromJSON(raw).AsMap().AsMap(), true)
		if err != nil {
			assert.Contains(t, err.Error(), "its inputs are refused:")
		}
	})
}

func fromJSON(v any) property.Value {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]property.Value{}
		for k, e := range v {
			m[k] = fromJSON(e)
		}
		return property.New(m)
	case []any:
		s := []property.Value{}
		for _, e := range v {
			s = append(s, fromJSON(e))
		}
		return property.New(s)
	case string:
		if v == "?" {
			return property.New(property.Computed)
		}
		secret, ok := strings.CutPrefix(v, "!")
		return property.New(secret).WithSecret(ok)
	case float64:
		return property.New(v)
	case bool:
		return property.New(v)
	}
	return property.Value{}
}

// shortKeys leaves out the keys that the engine itself marks values with.
func shortKeys(raw map[string]any) bool {
	for k, v := range raw {
		if len(k) > 30 {
			return false
		}
		if m, ok := v.(map[string]any); ok && !shortKeys(m) {
			return false
		}
	}
	return true
}
