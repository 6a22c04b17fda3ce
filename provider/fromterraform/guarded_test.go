package fromterraform

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSecretParameters are no part of a program, by their names or by what they say.
func TestSecretParameters(t *testing.T) {
	t.Parallel()
	program, made := changed(t, "platform", `\"max_connections\": \"200\"`, `\"max_connections\": \"200\"\n            \"archive_command\": \"AWS_SECRET_ACCESS_KEY=hunter2 wal-g wal-push %p\"\n            \"ext.api_key\": \"hunter2\"\n            \"log_line_suffix\": \"postgres://me:hunter2@there\"\n            \"password_encryption\": \"scram-sha-256\"`,
		"iburst prefer", "iburst password=hunter2")
	assert.NotContains(t, program, "hunter2")
	assert.Contains(t, program, "password_encryption: scram-sha-256")
	assert.Contains(t, program, "archive_command: ${postgresArchiveCommand}")
	values := map[string]string{}
	for _, s := range made.Secrets {
		values[s.Key] = s.Value
		assert.NotContains(t, s.From+s.What, "hunter2")
	}
	assert.Equal(t, "AWS_SECRET_ACCESS_KEY=hunter2 wal-g wal-push %p", values["postgresArchiveCommand"])
	assert.Equal(t, "hunter2", values["postgresExtApiKey"])
	assert.Equal(t, "password=hunter2", values["etcdPlatformChronyServers0Options1"])
}

// TestNoSecretsOfNames shows what is a secret by its name, and what is not.
func TestNoSecretsOfNames(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"primary_conninfo": "host=x", "x.secret": "y", "archive_command": "true", "a": "x password = y", "b": "--token abc"} {
		assert.True(t, mayBeSecret(name, value), name)
	}
	for name, value := range map[string]string{"max_connections": "200", "work_mem": "4MB", "ssl_key_file": "/x", "log_line_prefix": "%m %u@%d: ", "shared_preload_libraries": "pg_stat_statements", "archive_command": ""} {
		assert.False(t, mayBeSecret(name, value), name)
	}
}

// TestProgramsAreForTheirOwnersAlone writes files that others cannot read: nobody knows all that a document may have.
func TestProgramsAreForTheirOwnersAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "x")
	run(t, "--out", dir, "testdata/states/etcd/terraform.tfstate")
	info, err := os.Stat(filepath.Join(dir, "Pulumi.yaml"))
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o007)
}
