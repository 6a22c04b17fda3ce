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
--json) echo '{"shop:etcdCaKey": {"secret": true}}' ;;
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

func setting(t *testing.T, args ...string) (code int, said string) {
	var out, report bytes.Buffer
	args = append(append([]string{"--set-config"}, args...), "testdata/states/etcd/terraform.tfstate")
	code = Main(t.Context(), args, strings.NewReader(""), &out, &report)
	return code, out.String() + report.String()
}

// TestSetConfig gives values to standard input alone, and keeps what is set.
func TestSetConfig(t *testing.T) {
	kept := withPulumi(t, "none")
	code, said := setting(t, "--stack", "prod")
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
	code, said := setting(t)
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "pulumi config set: error: [secret] is refused")
	assert.Empty(t, hidden.FindAllString(said, -1))
}

func TestSetConfigWithoutPulumi(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, said := setting(t)
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "pulumi, the CLI, is not on the PATH")
}
