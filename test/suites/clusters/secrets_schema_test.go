package clusters

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// withoutPrograms are resources with secrets that components alone make.
var withoutPrograms = []string{"ClusterChange", "MachineChange", "EtcdRecovery", "PostgresRestoration"}

// refused are those that no program may have: Patroni logs in to etcd with a password.
var refused = []string{"PostgresCluster etcd.clientKey", "PostgresServer etcd.clientKey"}

// TestSecretsOfTheSchema has each input that the schema calls secret, and a second resource where two exclude each other.
// What is there before is changed, and the others come: no preview tells one, or a line of a key. A secret that the
// schema has and this program has not fails the test.
func TestSecretsOfTheSchema(t *testing.T) {
	t.Parallel()
	given := secretProgram{t, "-first", "ca"}
	s := engine.New(t, engine.Options{Program: given.before()})
	s.Up()
	given = secretProgram{t, "-other", "other"}
	assert.ElementsMatch(t, secretInputs(t), append(given.covers(), refused...))
	s.Program(given.text())
	preview := s.Preview("--diff")
	assert.Contains(t, preview.Stdout+preview.Diagnostics, "ca.key: [secret] changed")
	assert.Contains(t, preview.Stdout+preview.Diagnostics, "[secret] set")
	for what, text := range map[string]string{"text": preview.Stdout, "errors": preview.Stderr, "messages": preview.Diagnostics, "events": string(preview.Events)} {
		for _, secret := range append(given.keys(), "hush-", "-first", "-other", "PRIVATE KEY", "#cloud-config") {
			assert.NotContains(t, text, secret, what)
		}
	}
}

// covers are the secret inputs that the program has, by the kinds of resources.
func (p secretProgram) covers() (paths []string) {
	var program struct {
		Resources map[string]struct {
			Type       string
			Properties map[string]any
		}
	}
	require.NoError(p.t, yaml.Unmarshal([]byte(p.text()), &program))
	for _, r := range program.Resources {
		kind := strings.TrimPrefix(r.Type, "quorum:")
		for _, path := range secretInputs(p.t) {
			if below, is := strings.CutPrefix(path, kind+" "); is && has(r.Properties, strings.Split(below, ".")) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func has(of any, steps []string) bool {
	object, is := of.(map[string]any)
	if !is || len(steps) == 0 {
		return len(steps) == 0
	}
	value, is := object[steps[0]]
	return is && has(value, steps[1:])
}

// secretInputs are all inputs that the schema calls secret, of what programs have: "EtcdCluster ca.key".
func secretInputs(t *testing.T) (paths []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "schema.json"))
	require.NoError(t, err)
	var spec schema.PackageSpec
	require.NoError(t, json.Unmarshal(text, &spec))
	var walk func(of map[string]schema.PropertySpec, path string)
	walk = func(of map[string]schema.PropertySpec, path string) {
		for name, property := range of {
			at := strings.TrimPrefix(path+"."+name, ".")
			if property.Secret {
				paths = append(paths, strings.Replace(at, ".", " ", 1))
			}
			inner := property.TypeSpec
			for inner.Items != nil {
				inner = *inner.Items
			}
			if object, is := spec.Types[strings.TrimPrefix(inner.Ref, "#/types/")]; is && strings.Count(at, ".") < 8 {
				walk(object.Properties, at)
			}
		}
	}
	for token, resource := range spec.Resources {
		if kind := token[strings.LastIndex(token, ":")+1:]; !slices.Contains(withoutPrograms, kind) {
			walk(resource.InputProperties, kind)
		}
	}
	slices.Sort(paths)
	return paths
}
