package fromterraform

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cli stands in for pulumi: it keeps what it is told, and what it is given.
const cli = `#!/bin/sh
echo "$@" >> "$KEPT/args"
case "$2" in
--json) echo '{"shop:etcdCaKey": {"secret": true}, "other:etcdRootPassword": {"secret": true}}' ;;
set) cat > "$KEPT/$4"; case "$4" in $FAILS) echo "error: $(cat "$KEPT/$4") is refused" >&2; exit 1 ;; esac ;;
esac
`

func withPulumi(t *testing.T, fails string) (kept string) {
	kept = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(kept, "pulumi"), []byte(cli), 0o700))
	t.Setenv("PATH", kept+":"+os.Getenv("PATH"))
	t.Setenv("KEPT", kept)
	t.Setenv("FAILS", fails)
	return kept
}

// inProgram makes a program of states in a directory, and goes there.
func inProgram(t *testing.T, states ...string) (text string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	run(t, append([]string{"--name", "shop", "--out", dir}, states...)...)
	whole, err := os.ReadFile(filepath.Join(dir, "Pulumi.yaml"))
	require.NoError(t, err)
	t.Chdir(dir)
	return string(whole)
}

func absolute(t *testing.T, state string) string {
	name, err := filepath.Abs("testdata/states/" + state + "/terraform.tfstate")
	require.NoError(t, err)
	return name
}

func setting(t *testing.T, args ...string) (code int, said string) {
	var out, report bytes.Buffer
	code = Main(t.Context(), append([]string{"--set-config"}, args...), strings.NewReader(""), &out, &report)
	return code, out.String() + report.String()
}

// TestSetConfig gives values to standard input alone, and keeps what is set.
func TestSetConfig(t *testing.T) {
	kept := withPulumi(t, "none")
	state := absolute(t, "etcd")
	inProgram(t, state)
	code, said := setting(t, "--stack", "prod", state)
	require.Zero(t, code, said)
	args, err := os.ReadFile(filepath.Join(kept, "args"))
	require.NoError(t, err)
	assert.Equal(t, "config --json --stack prod --non-interactive\n"+
		"config set --secret etcdAdminUserPassword --stack prod --non-interactive\n"+
		"config set --secret etcdRootPassword --stack prod --non-interactive\n", string(args))
	password, err := os.ReadFile(filepath.Join(kept, "etcdRootPassword"))
	require.NoError(t, err)
	assert.Equal(t, "ROOT-of-etcd\n", string(password))
	assert.Contains(t, said, "kept: etcdCaKey, which is set already")
	assert.Contains(t, said, "to be set by you: libvirtUri")
	assert.Empty(t, hidden.FindAllString(said, -1))
}

// TestSetConfigFails without a word of the secret.
func TestSetConfigFails(t *testing.T) {
	withPulumi(t, "etcdRootPassword")
	state := absolute(t, "etcd")
	inProgram(t, state)
	code, said := setting(t, state)
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "pulumi config set: error: [secret] is refused")
	assert.Empty(t, hidden.FindAllString(said, -1))
}

func TestSetConfigWithoutPulumi(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	state := absolute(t, "etcd")
	inProgram(t, state)
	code, said := setting(t, state)
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "pulumi, the CLI, is not on the PATH")
}

// anotherSite is the state of etcd with other addresses and passwords, as another one's.
func anotherSite(t *testing.T, name string) (file string) {
	t.Helper()
	text, err := os.ReadFile("testdata/states/etcd/terraform.tfstate")
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), name)
	other := strings.NewReplacer("f22bee01", "aaaaaaaa", "10.1.0.", "10.9.0.", "ROOT-of-etcd", "OTHER-ROOT").Replace(string(text))
	require.NoError(t, os.WriteFile(file, []byte(other), 0o600))
	return file
}

// TestSetConfigOfOtherNames gives each cluster its own secrets, whatever its state is called and which comes first.
func TestSetConfigOfOtherNames(t *testing.T) {
	kept := withPulumi(t, "none")
	first, other := absolute(t, "etcd"), anotherSite(t, "zz.json")
	text := inProgram(t, "testdata/states/etcd/terraform.tfstate", other)
	assert.Contains(t, onWords(text, "\n  etcd-platform:", "\n  etcd-platform-2:"), "ip: 10.9.0.11")
	renamed := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.Rename(other, renamed))
	code, said := setting(t, renamed, first)
	require.Zero(t, code, said)
	for cluster, password := range map[string]string{"etcd-platform": "OTHER-ROOT\n", "etcd-platform-2": "ROOT-of-etcd\n"} {
		is, err := os.ReadFile(filepath.Join(kept, camel(cluster, "root password")))
		require.NoError(t, err)
		assert.Equal(t, password, string(is))
	}
}

// TestSetConfigOfOthers sets nothing in another project, and nothing of another state.
func TestSetConfigOfOthers(t *testing.T) {
	kept := withPulumi(t, "none")
	etcd, postgres, other := absolute(t, "etcd"), absolute(t, "postgres"), anotherSite(t, "x.json")
	refused := func(want string, states ...string) {
		t.Helper()
		code, said := setting(t, states...)
		assert.Equal(t, 1, code)
		assert.Contains(t, said, want)
		args, _ := os.ReadFile(filepath.Join(kept, "args"))
		assert.NotContains(t, string(args), "config set")
	}
	refused("there is no Pulumi.yaml in the current directory", etcd)
	inProgram(t, etcd)
	refused("which is not in what was given: nothing is set", postgres)
	refused("which is not in what was given: nothing is set", other)
	require.NoError(t, os.WriteFile("Pulumi.yaml", []byte("name: other\nruntime: yaml\nconfig:\n  etcdCaKey: {type: string, secret: true}\n"), 0o600))
	refused("it is not one that from-terraform made", etcd)
}

// TestOneStateTwice is refused, as are two states of the same machines.
func TestOneStateTwice(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/states/etcd/terraform.tfstate")
	require.NoError(t, err)
	workspace := filepath.Join(t.TempDir(), "dev.json")
	require.NoError(t, os.WriteFile(workspace, []byte(strings.ReplaceAll(string(text), "f22bee01", "aaaaaaaa")), 0o600))
	for other, want := range map[string]string{"testdata/states/etcd/terraform.tfstate": "are the same state", workspace: "are both etcd's member etcd-1 at 10.1.0.11"} {
		var program, report bytes.Buffer
		assert.Equal(t, 1, Main(t.Context(), []string{"testdata/states/etcd/terraform.tfstate", other}, nil, &program, &report))
		assert.Contains(t, report.String(), want)
	}
}

// TestNext are commands that work as they are printed, also elsewhere.
func TestNext(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a-b/c.json", quoted("a-b/c.json"))
	assert.Equal(t, `'it'\''s a $x'`, quoted("it's a $x"))
	assert.Equal(t, "''", quoted(""))
	assert.Equal(t, "- < STATE", options{states: []string{"-"}}.again())
	dir := filepath.Join(t.TempDir(), "my data")
	_, report := run(t, "--out", dir, "testdata/states/certificates/terraform.tfstate")
	assert.Contains(t, report, "  cd '"+dir+"'\n  pulumi stack init prod\n")
	assert.Contains(t, report, "  pulumi config set libvirtUri qemu+ssh://root@host/system\n")
	assert.Contains(t, report, "  pulumi config set --secret etcdCaKey < etcdCaKey.txt\nand then:\n  pulumi preview\n")
	assert.NotContains(t, report, "--set-config")
}
