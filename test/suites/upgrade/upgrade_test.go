// Package upgrade previews this version of the provider on stacks of released
// ones: no update may replace what users have, unless the changelog says so.
package upgrade

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
)

// record is for a release: it keeps what the quickstart makes by then.
var record = flag.String("record", "", "record the state of the quickstart as that of a version")

// subnet is where the machines of the recorded stacks are.
const subnet = "127.77.200"

// renewed are made again by any change, or by time: a drive is named by its content,
// and a machine takes up another one while it runs; a certificate is renewed. A default
// provider is nothing but a version of a plugin.
var renewed = regexp.MustCompile(`:(CloudInitDisk|LocallySignedCert)$|^pulumi:providers:`)

func TestUpgrade(t *testing.T) {
	if *record != "" {
		s := quickstart(t)
		etcdmachines.Run(t, s.World)
		s.Up()
		require.NoError(t, os.WriteFile(filepath.Join("testdata", *record+".json"), anywhere(t, s.Export()), 0o644))
		s.Destroy()
	}
	states, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, states)
	announced := replacements(t)
	for _, state := range states {
		t.Run(strings.TrimSuffix(filepath.Base(state), ".json"), func(t *testing.T) {
			t.Parallel()
			file, err := filepath.Abs(state)
			require.NoError(t, err)
			s := quickstart(t)
			s.Import(file)
			preview := s.Preview()
			assert.NotContains(t, preview.Diagnostics, "rebuild: ")
			for _, step := range preview.Steps {
				kept := step.Op == "create" || step.Op == "update" || renewed.MatchString(step.Type)
				kind := step.Type[strings.LastIndex(step.Type, ":")+1:]
				assert.Truef(t, kept || announced[kind], "%s: differs in %s", step, step.Keys)
			}
		})
	}
}

func quickstart(t *testing.T) *engine.Stack {
	t.Helper()
	return engine.New(t, engine.Options{
		Program: engine.Example(t, "Pulumi.yaml"), Project: "quorum-quickstart",
		Config: map[string]string{"sshPublicKey": engine.SSHKey, "subnet": subnet},
	})
}

// anywhere is a state without the places in the source that made it.
func anywhere(t *testing.T, state string) []byte {
	t.Helper()
	var export map[string]any
	require.NoError(t, json.Unmarshal([]byte(state), &export))
	for _, r := range export["deployment"].(map[string]any)["resources"].([]any) {
		delete(r.(map[string]any), "stackTrace")
		delete(r.(map[string]any), "sourcePosition")
	}
	text, err := json.MarshalIndent(export, "", " ")
	require.NoError(t, err)
	return text
}

// replacements are the types that the newest section of the changelog names.
func replacements(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(engine.Root(), "CHANGELOG.md"))
	require.NoError(t, err)
	_, newest, found := strings.Cut(string(text), "\n## ")
	require.True(t, found)
	newest, _, _ = strings.Cut(newest, "\n## ")
	types := map[string]bool{}
	for _, line := range regexp.MustCompile("(?m)^- Replaces: `(\\w+)`").FindAllStringSubmatch(newest, -1) {
		types[line[1]] = true
	}
	return types
}
