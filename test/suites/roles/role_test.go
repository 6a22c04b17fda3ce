// Package roles has the real engine make a machine of each role, on a fake
// libvirt, and change it.
package roles

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// role is a component, and what its machine is to go through.
type role struct {
	kind    string
	inputs  string   // beside those of every machine
	bad     string   // laid over them: inputs that are refused
	reasons []string // why
	changes []change
	renewal string // what happens near the end of its certificates
}

// change is laid over the inputs, and over the changes before it. Null removes.
type change struct{ what, inputs, want, says string }

// What a change does, by the word for it.
const (
	live    = "replace CloudInitDisk, update Domain, update MachineChange"
	restart = "replace Domain, update MachineChange"
	rebuild = "replace CloudInitDisk, replace Domain, replace Volume, update MachineChange"
	renamed = rebuild + ", update MachineIdentity" // by what only a fresh machine reads

	// With data on the disk that goes, or that is no longer where they are looked for.
	rebuiltEmpty = "replace CloudInitDisk, replace Domain, replace Volume, update DataGuard, update MachineChange, update MachineIdentity"
	addedEmpty   = "create Volume, replace CloudInitDisk, replace Domain, update DataGuard, update MachineChange"

	// What a machine that runs is handed of what cloud-init reads at the first boot alone.
	handed = "replace CloudInitDisk, update Domain, update MachineChange, update MachineIdentity"

	signed   = "create CertRequest, create LocallySignedCert, create PrivateKey, " + live
	resigned = "replace CertRequest, replace CloudInitDisk, replace LocallySignedCert, update Domain, update MachineChange"
	renewed  = "replace CloudInitDisk, replace LocallySignedCert, update Domain, update MachineChange"
)

const powerOff = "restart: the machine, which is powered off and on"

// hush is in all secrets of the programs, but in no other text of base 64.
const hush = "hush-hush"

const machine = `
sshAdminPublicKey: ` + engine.SSHKey + `
libvirt:
  volume: {pool: default, baseVolumeId: "${base.id}"}
  cloudInitVolumePool: default
  networks: [{networkName: default, ip: 10.77.0.11, prefixLength: 24}]
`

// program has the role's machine, called one.
func (r role) program(t *testing.T, more ...string) string {
	t.Helper()
	return r.programWith(t, "{}", "{}", more...)
}

// programWith has resources beside the machine, and options for it.
func (r role) programWith(t *testing.T, resources, options string, more ...string) string {
	t.Helper()
	inputs := parse(t, machine)
	for _, text := range append([]string{r.inputs}, more...) {
		inputs = merge(inputs, parse(t, text))
	}
	program := merge(parse(t, engine.Authority), map[string]any{"resources": merge(map[string]any{
		"base": map[string]any{"type": "libvirt:Volume", "properties": map[string]any{"name": "base.qcow2", "pool": "images"}},
		"one":  map[string]any{"type": "quorum:" + r.kind, "properties": inputs, "options": parse(t, options)},
	}, parse(t, resources))})
	text, err := yaml.Marshal(program)
	require.NoError(t, err)
	return string(text)
}

func parse(t *testing.T, text string) (m map[string]any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &m), text)
	return m
}

// merge lays more over base: objects key by key, all else whole.
func merge(base, more map[string]any) map[string]any {
	merged := maps.Clone(base)
	for key, v := range more {
		old, wasObject := merged[key].(map[string]any)
		object, isObject := v.(map[string]any)
		switch {
		case v == nil:
			delete(merged, key)
		case wasObject && isObject:
			merged[key] = merge(old, object)
		default:
			merged[key] = v
		}
	}
	return merged
}

// pem is a file of the provider's tests, as a word of YAML.
func pem(file string) string {
	b, err := os.ReadFile(filepath.Join(engine.Root(), "provider", "testdata", "pki", file))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%q", b)
}
