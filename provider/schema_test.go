package provider

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSchema compares the schema with schema.json, which has no version: else
// each release would be a difference.
func TestSchema(t *testing.T) {
	t.Parallel()
	spec := schemaOf[map[string]any](t)
	delete(spec, "version")
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(spec))
	golden(t, filepath.Join("..", "schema.json"), b.String())
}

// special are the properties whose names do not tell: those of keys of etcd, and
// hashes of what may be short.
var special = map[string]bool{"quorum:index:MachineChange.effects": true, "quorum:index:MachineChange.secretSettings": true, "quorum:index:ClusterChange.secretSettings": true, "quorum:index:PostgresHealth.passwords": true, "quorum:index:EtcdKey.value": true, "quorum:index:EtcdKey.key": false, "quorum:index:EtcdPermission.key": false, "quorum:index:DnsZone.key": false}

// TestDescriptions requires every property described, of a type, open to outputs,
// and secret if its name says so.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	spec := schemaOf[schema.PackageSpec](t)
	see := func(where string, properties map[string]schema.PropertySpec) {
		for name, property := range properties {
			assert.NotEmptyf(t, property.Description, "%s.%s has no description", where, name)
			assert.NotContainsf(t, named(property.TypeSpec), "Any", "%s.%s may be anything", where, name)
			assert.Falsef(t, property.Plain, "%s.%s takes no outputs", where, name)
			secret, known := special[where+"."+name]
			if !known {
				secret = strings.HasSuffix(strings.TrimSuffix(name, "s"), "assword") || name == "key" || strings.HasSuffix(name, "Key") && name != "sshAdminPublicKey"
			}
			assert.Equalf(t, secret, property.Secret, "%s.%s: secret", where, name)
		}
	}
	for token, resource := range spec.Resources {
		see(token, resource.InputProperties)
		see(token, resource.Properties)
	}
	for token, function := range spec.Functions {
		see(token, function.Inputs.Properties)
		see(token, function.ReturnType.ObjectTypeSpec.Properties)
	}
	for token, of := range spec.Types {
		see(token, of.Properties)
	}
}

// schemaOf reads the schema into an S.
func schemaOf[S any](t testing.TB) (spec S) {
	t.Helper()
	resp, err := newServer(t, nil).GetSchema(p.GetSchemaRequest{})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(resp.Schema), &spec))
	return spec
}
