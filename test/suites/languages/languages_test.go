// Package languages has the real engine run the examples in Go, TypeScript and
// Python, which are to be the same as those in YAML. `make sdk` installs what
// those in TypeScript and Python need.
package languages

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
)

var languages = []string{"go", "typescript", "python"}

// TestQuickstart brings up what one program makes. The others find nothing to
// change in it.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{
		Folder: filepath.Join("examples", languages[0], "quickstart"),
		Config: map[string]string{"sshPublicKey": engine.SSHKey, "subnet": loopback.Subnet(t)},
	})
	etcdmachines.Run(t, s.World)
	s.Up()
	outputs := s.Outputs()
	for _, language := range languages {
		s.Folder(filepath.Join("examples", language, "quickstart"))
		again := s.Up()
		assert.True(t, again.Unchanged(), "%s: %v", language, again.Steps)
		assert.Equal(t, outputs, s.Outputs())
	}
	s.Program(engine.Example(t, "Pulumi.yaml"))
	assert.Empty(t, s.Preview().Changed()) // SDKs ask for a provider of their version, YAML for any
	s.Folder(filepath.Join("examples", languages[0], "quickstart"))
	s.Destroy()
	assert.Empty(t, s.World.Objects())
}

// others are the stacks that those of the platform refer to, and their outputs.
// None is secret here: then YAML would hide all that comes from its stack.
var others = map[string]string{
	"platform-etcd": `
outputs:
  endpoints: ["192.168.122.11:2379", "192.168.122.12:2379"]
  caCert: {fn::readFile: %s/provider/testdata/pki/ca.crt}
  rootPassword: correct-horse
`,
	"platform-dns": `
outputs:
  nameserver: 192.168.122.21
  nameserverName: dns-1.platform.example.
  domain: platform.example
`,
	"platform-postgres": `
outputs:
  primary: ["192.168.122.40:5432", "192.168.122.41:5432"]
  replicas: ["192.168.122.40:5433", "192.168.122.41:5433"]
  poolerPrimary: ["192.168.122.40:6432", "192.168.122.41:6432"]
  caCert: {fn::readFile: %s/provider/testdata/pki/ca.crt}
  clientCert: {fn::readFile: %s/provider/testdata/pki/server.crt}
  clientKey: {fn::readFile: %s/provider/testdata/pki/server.key}
  superuserPassword: correct-horse
`,
}

// shownBy are inputs of gates by which one sees that a cluster has backups, and that it is restored.
var shownBy = map[string][2]string{"etcd": {"repository", "restore"}, "postgres": {"backupStanza", "source"}}

// TestPlatform compares what each program would make, down to the machines: as it is, and to
// bring everything back.
func TestPlatform(t *testing.T) {
	t.Parallel()
	ca, err := os.ReadFile(filepath.Join(engine.Root(), "provider", "testdata", "pki", "ca.crt"))
	require.NoError(t, err)
	var first *engine.Stack
	for project, outputs := range others {
		outputs = strings.ReplaceAll(outputs, "%s", engine.Root())
		first = engine.New(t, engine.Options{Project: project, Program: outputs, Beside: first})
		first.Up()
	}
	for _, stack := range []string{"etcd", "dns", "postgres", "app"} {
		t.Run(stack, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{
				Program: engine.Example(t, filepath.Join("examples", "platform", stack, "Pulumi.yaml")),
				Project: stack, Beside: first,
				Config:  map[string]string{"sshPublicKey": engine.SSHKey, "s3Endpoint": "https://s3.example.org:9000", "s3CaCert": string(ca)},
				Secrets: map[string]string{"etcdPassword": "correct-horse", "appPassword": "battery-staple", "reportsPassword": "hunter-and-2", "s3AccessKey": "key-of-s3", "s3SecretKey": "secret-of-s3"},
			})
			asIs := alike(t, s, stack)
			shown, isBackedUp := shownBy[stack]
			if !isBackedUp {
				return
			}
			assert.True(t, given(asIs, shown[0]))
			assert.False(t, given(asIs, shown[1]))
			for _, args := range [][]string{{"restoreStanza", "platform-5f2c91aa"}, {"--secret", "restoreKey", "key-of-all-backups"}} {
				_, stderr, err := s.Run(append([]string{"config", "set"}, args...)...)
				require.NoError(t, err, stderr)
			}
			s.Program(restored(t, stack))
			assert.True(t, given(alike(t, s, stack), shown[1]))
		})
	}
}

// alike is what the program of a stack would make, and those in other languages too.
func alike(t *testing.T, s *engine.Stack, name string) map[string]map[string]any {
	t.Helper()
	want := plan(t, s)
	require.NotEmpty(t, want)
	for _, language := range languages {
		s.Folder(filepath.Join("examples", language, "platform", name))
		assert.Equal(t, want, plan(t, s), language)
	}
	return want
}

// given tells whether a resource has an input.
func given(plan map[string]map[string]any, input string) bool {
	for _, inputs := range plan {
		if inputs[input] != nil {
			return true
		}
	}
	return false
}

// plan has the inputs of all that a preview would make, by URN.
func plan(t *testing.T, s *engine.Stack) map[string]map[string]any {
	t.Helper()
	stdout, stderr, err := s.Run("preview", "--json")
	require.NoError(t, err, stdout+stderr)
	var preview struct {
		Steps []struct {
			URN      resource.URN
			NewState struct{ Inputs map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &preview))
	inputs := map[string]map[string]any{}
	for _, step := range preview.Steps {
		if strings.HasSuffix(string(step.URN.QualifiedType()), ":CloudInitDisk") {
			delete(step.NewState.Inputs, "name") // random until its content is known
		}
		if strings.HasSuffix(string(step.URN.QualifiedType()), ":ClusterChange") { // what is secret in one language's variables is plain in another's
			delete(step.NewState.Inputs, "settings")
			delete(step.NewState.Inputs, "secretSettings")
		}
		named(step.NewState.Inputs)
		if step.URN.Type().Package() != "pulumi" { // the stack, and those it refers to
			inputs[string(step.URN)] = step.NewState.Inputs
		}
	}
	return inputs
}

// named leaves of what a preview tells of a cluster only which settings there are: with one secret
// in an object, all of the object is secret for Pulumi YAML, and for other languages it is not.
func named(inputs map[string]any) {
	plain, isChange := inputs["settings"].(map[string]any)
	if secret, also := inputs["secretSettings"].(map[string]any); also && isChange {
		maps.Copy(plain, secret)
		for name := range plain {
			plain[name] = true
		}
		delete(inputs, "secretSettings")
	}
	for _, about := range []string{"about", "aboutRestore"} {
		if _, isRestored := inputs[about].(string); isRestored {
			inputs[about] = true
		}
	}
}
