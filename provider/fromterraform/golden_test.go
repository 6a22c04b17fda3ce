package fromterraform

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// states are those that Terraform wrote, see testdata/README.md.
func states(t testing.TB) []string {
	all, err := filepath.Glob("testdata/states/*/*.*state*")
	require.NoError(t, err)
	shown, err := filepath.Glob("testdata/states/*/state.json")
	require.NoError(t, err)
	all = append(all, shown...)
	require.Greater(t, len(all), 7)
	return all
}

// run runs the command, which must succeed.
func run(t testing.TB, args ...string) (out, said string) {
	var program, report bytes.Buffer
	require.Zero(t, Main(t.Context(), args, strings.NewReader(""), &program, &report), report.String())
	return program.String(), report.String()
}

// TestPrograms makes programs of states, and reports.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, state := range states(t) {
		dir := filepath.Dir(state)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			program, report := run(t, state)
			golden(t, filepath.Join(dir, "Pulumi.yaml"), program)
			golden(t, filepath.Join(dir, "report.txt"), anywhere(t, report))
			again, _ := run(t, state)
			assert.Equal(t, program, again)
		})
	}
}

// anywhere is a report without where it was made.
func anywhere(t *testing.T, report string) string {
	self, err := os.Executable()
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	return strings.NewReplacer(filepath.Dir(self), "/DIRECTORY-OF-THE-PLUGIN", here, "/HERE").Replace(report)
}

func golden(t *testing.T, name, is string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(is), 0o644))
	}
	was, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(was), is)
}

// hidden are the passwords and keys of the states.
var hidden = regexp.MustCompile(`(?:ROOT|CONSOLE|SUPERUSER|REPLICATOR|PATRONI|COREDNS|REGISTRY|FLUENTD|LDAP|FOREIGN)-[a-z-]+|PRIVATE KEY|console secret`)

// TestNoSecrets looks for what is in no program, no report and on no command line.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	for _, state := range states(t) {
		text, err := os.ReadFile(state)
		require.NoError(t, err)
		require.NotEmpty(t, hidden.FindAll(text, -1))
		program, report := run(t, state)
		assert.Empty(t, hidden.FindAllString(program+report, -1), state)
		for _, key := range keyMaterial(t, text) {
			assert.NotContains(t, program+report, key)
		}
	}
}

// keyMaterial are the lines of private keys in a state.
func keyMaterial(t *testing.T, state []byte) (lines []string) {
	resources, err := Read(bytes.NewReader(state))
	require.NoError(t, err)
	for _, r := range resources {
		for name := range r.Values {
			if text := r.Values.text(name); strings.Contains(name, "private") && len(text) > 100 {
				lines = append(lines, strings.Split(text, "\n")[1])
			}
		}
	}
	return lines
}

// TestSecretsOfStates are where they should be.
func TestSecretsOfStates(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/states/platform/terraform.tfstate")
	require.NoError(t, err)
	defer file.Close()
	all, err := Read(file)
	require.NoError(t, err)
	made, err := Convert("x", all)
	require.NoError(t, err)
	values := map[string]string{}
	for _, s := range made.Secrets {
		values[s.Key] = s.Value
	}
	for key, value := range map[string]string{
		"etcdPlatform2RootPassword": "ROOT-of-etcd", "etcdPlatform2AdminUserPassword": "CONSOLE-password", "postgresSuperuserPassword": "SUPERUSER-password",
		"postgresReplicatorPassword": "REPLICATOR-password", "postgresAdminUserPassword": "console secret", "dns1EtcdPassword": "COREDNS-in-etcd", "etcdPlatformCaKey": "",
	} {
		is, has := values[key]
		assert.Truef(t, has, "%s in %v", key, made.Secrets)
		assert.Equal(t, value, is, key)
	}
	for _, each := range []string{"etcdPlatform2CaKey", "postgresCaKey", "dns2EtcdClientKey"} {
		assert.Contains(t, values[each], "PRIVATE KEY", each)
	}
}

// TestIndexes says where resources are as Terraform does.
func TestIndexes(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "[2]", index(json.Number("2")))
	assert.Equal(t, `["a\"b"]`, index(`a"b`))
	assert.Empty(t, index(nil))
}
