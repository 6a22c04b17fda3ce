// Package upgrade previews this version of the provider on stacks of released
// ones: no update may replace what users have, unless the changelog says so.
package upgrade

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/openstack"
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

// plugins are those of all examples.
var plugins = []engine.Plugin{engine.Quorum, engine.FakeLibvirt, engine.FakeTLS, engine.RealOpenStack}

// example is one whose state is recorded by release, in testdata/RELEASE/NAME.json. Beside it lies the program that it
// had by then; without one, the program of now has to change nothing either.
type example struct {
	name, project, subnet string
	beside                string // the example whose outputs it reads
	config, secrets       map[string]string
	// Only what OpenStack hands to an instance that it makes reaches that instance: each is rebuilt, with its data.
	rebuilt bool
}

var examples = []example{
	{name: "quickstart", project: "quorum-quickstart", subnet: subnet},
	{name: "etcd-servers", project: "quorum-etcd-servers", subnet: "127.77.202"},
	{name: "platform-etcd", project: "platform-etcd", subnet: "127.77.201"},
	{
		name: "platform-dns", project: "platform-dns", subnet: "127.77.201", beside: "platform-etcd",
		secrets: map[string]string{"etcdPassword": "correct-horse"},
	},
	{
		name: "platform-postgres", project: "platform-postgres", subnet: "127.77.201", beside: "platform-dns",
		config: map[string]string{"watchdogMode": "off"},
	},
	{name: "openstack", project: "quorum-openstack", subnet: "127.77.203", rebuilt: true, config: map[string]string{
		"imageId": openstack.Image, "flavorId": openstack.Flavor, "networkId": openstack.Network, "subnetId": openstack.Subnet,
		"adminNetwork": "10.0.1.0/24",
	}},
}

// gone is what no release makes any more: a load balancer has no certificate of its own.
var gone = regexp.MustCompile(`^main-postgres-lb-(key|request|cert)$`)

func TestUpgrade(t *testing.T) {
	if *record != "" {
		s := examples[0].stack(t, *record, nil)
		etcdmachines.Run(t, s.World)
		s.Up()
		require.NoError(t, os.WriteFile(examples[0].file(*record, ".json"), anywhere(t, s.Export()), 0o644))
		s.Destroy()
	}
	releases, err := filepath.Glob("testdata/*")
	require.NoError(t, err)
	require.NotEmpty(t, releases)
	announced := replacements(t)
	for _, release := range releases {
		for _, e := range examples {
			version := filepath.Base(release)
			t.Run(version+"/"+e.name, func(t *testing.T) {
				t.Parallel()
				if _, err := os.Stat(e.file(version, ".json")); e.name != examples[0].name && err != nil {
					t.Skip("its state is not recorded: -record keeps that of the quickstart alone")
				}
				preview := e.imported(t, version).Preview()
				if !e.rebuilt {
					assert.NotContains(t, preview.Diagnostics, "rebuild: ")
				}
				for _, step := range preview.Steps {
					kept := step.Op == "create" || step.Op == "update" || renewed.MatchString(step.Type)
					if step.Op == "delete" && gone.MatchString(step.Name) {
						continue
					}
					kind := step.Type[strings.LastIndex(step.Type, ":")+1:]
					assert.Truef(t, kept || announced[kind] || e.rebuilt && kind == "Instance", "%s: differs in %s", step, step.Keys)
				}
			})
		}
	}
}

// imported is a stack with the recorded state.
func (e example) imported(t *testing.T, release string) *engine.Stack {
	t.Helper()
	var beside *engine.Stack
	for _, other := range examples {
		if other.name == e.beside {
			beside = other.imported(t, release)
		}
	}
	s := e.stack(t, release, beside)
	file, err := filepath.Abs(e.file(release, ".json"))
	require.NoError(t, err)
	s.Import(file)
	return s
}

func (e example) stack(t *testing.T, release string, beside *engine.Stack) *engine.Stack {
	t.Helper()
	program, err := os.ReadFile(e.file(release, ".yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		program = []byte(engine.Example(t, "Pulumi.yaml"))
	} else {
		require.NoError(t, err)
	}
	config := map[string]string{"sshPublicKey": engine.SSHKey, "subnet": e.subnet}
	maps.Copy(config, e.config)
	return engine.New(t, engine.Options{
		Program: string(program), Project: e.project, Beside: beside, Plugins: plugins,
		Config: config, Secrets: e.secrets, Env: openstack.New(t).Env(),
	})
}

func (e example) file(release, suffix string) string {
	return filepath.Join("testdata", release, e.name+suffix)
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
