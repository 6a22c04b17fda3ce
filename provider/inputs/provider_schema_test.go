package inputs

import (
	"context"
	"encoding/json"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProviderChangesNothingElse(t *testing.T) {
	t.Parallel()
	const given = `{"name":"q","meta":{"moduleFormat":"x"},"config":{"variables":{"a":{"type":"string","default":"b"}}},
		"language":{"go":{"importBasePath":"x","respectSchemaVersion":true}},
		"provider":{"inputProperties":{"a":{"type":"string","default":"b"}}},
		"resources":{
			"q:index:Custom":{"inputProperties":{"a":{"type":"integer","default":1}},"requiredInputs":["a"],"aliases":[{"type":"q:x:Y"}]},
			"q:index:Made":{"isComponent":true,"inputProperties":{
				"a":{"type":"array","items":{"type":"string","plain":true},"secret":true,"default":"x","description":"An a."}}}},
		"functions":{"q:index:f":{"inputs":{"properties":{"a":{"type":"string","plain":true,"default":"x"}},"type":"object"}}}}`
	const want = `{"name":"q","meta":{"moduleFormat":"x"},"config":{"variables":{"a":{"type":"string","default":"b"}}},
		"language":{"go":{"importBasePath":"x","respectSchemaVersion":true}},
		"provider":{"inputProperties":{"a":{"type":"string","default":"b"}}},
		"resources":{
			"q:index:Custom":{"inputProperties":{"a":{"type":"integer","description":"Defaults to ` + "`1`" + `."}},"requiredInputs":["a"],"aliases":[{"type":"q:x:Y"}]},
			"q:index:Made":{"isComponent":true,"inputProperties":{
				"a":{"type":"array","items":{"type":"string"},"secret":true,"description":"An a. Defaults to ` + "`x`" + `."}}}},
		"functions":{"q:index:f":{"inputs":{"properties":{"a":{"type":"string","description":"Defaults to ` + "`x`" + `."}},"type":"object"}}}}`
	require.True(t, json.Valid([]byte(given)))
	prov := Provider(p.Provider{GetSchema: func(context.Context, p.GetSchemaRequest) (p.GetSchemaResponse, error) {
		return p.GetSchemaResponse{Schema: given}, nil
	}})
	got, err := prov.GetSchema(t.Context(), p.GetSchemaRequest{})
	require.NoError(t, err)
	assert.JSONEq(t, want, got.Schema)
}
