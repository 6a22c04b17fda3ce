package roles

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const (
	anotherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEQEgiTPrEHuz8PlwYN9KnPHb3rUaWb1RX4XbU1c2Y6d another@example.org"
	another    = "sshAdminPublicKey: " + anotherKey
	theKey     = "sshAdminPublicKey: " + engine.SSHKey

	// Without a data volume the data lie where another machine has none.
	handedGuarded = "replace CloudInitDisk, update DataGuard, update Domain, update MachineChange, update MachineIdentity"

	otherDNS = "libvirt: {networks: [{networkName: default, ip: 10.77.0.11, prefixLength: 24, dnsServers: [10.77.0.53]}]}"
)

// handedTo is what a machine is now handed in a file, and whether its unit is started; "" for nothing.
func handedTo(t *testing.T, s *engine.Stack, path, service string) string {
	t.Helper()
	var state guest.State
	require.NoError(t, json.Unmarshal([]byte(s.World.State("one")), &state))
	content, started := "", false
	for _, f := range state.Files {
		if f.Path == path {
			content = f.Content
		}
	}
	for i, of := range state.Services {
		if of.Name == service {
			started = true
			for _, before := range state.Services[:i] {
				assert.Contains(t, []string{"prometheus-node-exporter.service", "quorum-keys.service"}, before.Name, "those after it may wait")
			}
		}
	}
	assert.Equal(t, content != "", started)
	return content
}

func keysOf(t *testing.T, s *engine.Stack) string {
	t.Helper()
	return handedTo(t, s, "/etc/quorum-keys", "quorum-keys.service")
}

// instance is what cloud-init takes the machine for.
func instance(t *testing.T, s *engine.Stack) string {
	t.Helper()
	for _, o := range s.World.Objects() {
		if o.Type == "CloudInitDisk" {
			return fmt.Sprint(o.Props["metaData"])
		}
	}
	require.Fail(t, "no drive")
	return ""
}

// TestLogins has a machine that runs be handed every other key, and the former ones to take away, and stay the one
// that it is to cloud-init.
func TestLogins(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t)})
	s.Up()
	made := instance(t, s)
	assert.Empty(t, keysOf(t, s), "cloud-init has given it")
	s.World.Forget()

	s.Program(etcdServer.program(t, another))
	preview := s.Preview()
	assert.Contains(t, preview.Diagnostics, "  live: who logs in over SSH, by which key\n")
	assert.NotContains(t, preview.Diagnostics, "rebuild")
	assert.Equal(t, handedGuarded, preview.Changed())
	assert.Equal(t, handedGuarded, s.Up().Changed())
	first := keysOf(t, s)
	assert.Contains(t, first, "\n"+anotherKey+"\n")
	assert.Equal(t, 1, strings.Count(first, "\n- SHA256:"))
	assert.True(t, s.Up().Unchanged())

	s.Program(etcdServer.program(t, theKey))
	s.Up()
	assert.Contains(t, keysOf(t, s), "\n"+engine.SSHKey+"\n")
	assert.NotContains(t, keysOf(t, s), anotherKey)
	assert.Equal(t, 2, strings.Count(keysOf(t, s), "\n- SHA256:"), "all that it was given, also by a drive that it never had")
	assert.Empty(t, handedTo(t, s, "/etc/quorum-resolver", "quorum-resolver.service"))

	s.Program(etcdServer.program(t, theKey, otherDNS))
	assert.Contains(t, s.Preview().Diagnostics, "  live: which DNS servers it asks\n")
	s.Up()
	assert.Regexp(t, `^libvirt0 52:54:00:[0-9a-f:]{8} 10\.77\.0\.53\n$`, handedTo(t, s, "/etc/quorum-resolver", "quorum-resolver.service"))
	s.Program(etcdServer.program(t, theKey))
	s.Up()
	assert.Regexp(t, `^libvirt0 52:54:00:[0-9a-f:]{8}\n$`, handedTo(t, s, "/etc/quorum-resolver", "quorum-resolver.service"), "it asks the others still")

	assert.Equal(t, made, instance(t, s))
	assert.Empty(t, s.World.Log("Volume"))
	assert.NotContains(t, strings.Join(s.World.Log("Domain"), "\n"), "delete")

	// Another machine, and back before that was made.
	s.World.Fail("delete", "Domain", "one", "libvirt: connection lost")
	s.Program(etcdServer.program(t, theKey, "sshAdminUser: other", "allowDataLoss: true"))
	s.UpFails()
	s.World.Heal("delete", "Domain", "one")
	s.Program(etcdServer.program(t, theKey, "allowDataLoss: true"))
	s.World.Forget()
	s.Up()
	assert.Empty(t, s.World.Log("Volume"), "it is the one that it was")
	assert.Equal(t, made, instance(t, s))
}

// TestLoginsOfAnEarlierRelease has the state have the hashes of an earlier release, which knew no machine apart from
// its key: nothing is rebuilt for this one, and the key changes while the machine runs. Both at once rebuild it, and
// previews say so.
func TestLoginsOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t)})
	s.Up()
	made := instance(t, s)
	file := earlier(t, s)
	s.Import(file)
	s.World.Forget()

	s.Program(etcdServer.program(t, another))
	assert.Contains(t, s.PreviewFails().Diagnostics, "If only the SSH key or DNS servers differ: run `pulumi up` with this release and the former ones first, then change them")
	s.Program(etcdServer.program(t, another, "allowDataLoss: true"))
	assert.Contains(t, s.Preview().Diagnostics, "rebuild: a fresh machine")

	s.Program(etcdServer.program(t))
	assert.Equal(t, "create MachineIdentity, update DataGuard", s.Up().Changed())
	s.Program(etcdServer.program(t, another))
	assert.Equal(t, handedGuarded, s.Up().Changed())
	assert.Contains(t, keysOf(t, s), "\n"+anotherKey+"\n")
	assert.Equal(t, made, instance(t, s))
	assert.Empty(t, s.World.Log("Volume"))
}

// earlier is the state of a stack, in a file, as an earlier release had it.
func earlier(t *testing.T, s *engine.Stack) string {
	t.Helper()
	text := regexp.MustCompile(`"[0-9a-f]{16} [0-9]+ ([0-9a-f]{16})"`).ReplaceAllString(s.Export(), `"$1"`)
	require.NotEqual(t, text, s.Export())
	var export map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &export))
	deployment := export["deployment"].(map[string]any)
	var kept []any
	for _, r := range deployment["resources"].([]any) {
		if !strings.HasSuffix(fmt.Sprint(r.(map[string]any)["type"]), ":MachineIdentity") {
			kept = append(kept, without(r, "MachineIdentity"))
		}
	}
	deployment["resources"] = kept
	changed, err := json.Marshal(export)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "state.json")
	require.NoError(t, os.WriteFile(file, changed, 0o600))
	return file
}

// without is a value without the texts in its lists that name something.
func without(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		for key, of := range v {
			v[key] = without(of, name)
		}
	case []any:
		kept := []any{}
		for _, of := range v {
			if text, is := of.(string); !is || !strings.Contains(text, name) {
				kept = append(kept, without(of, name))
			}
		}
		return kept
	}
	return v
}
