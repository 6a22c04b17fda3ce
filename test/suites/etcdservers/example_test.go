package etcdservers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestOneMember runs the program that README shows.
func TestOneMember(t *testing.T) {
	t.Parallel()
	read := func(path ...string) string {
		b, err := os.ReadFile(filepath.Join(append([]string{engine.Root()}, path...)...))
		require.NoError(t, err)
		return string(b)
	}
	path := filepath.Join("examples", "one-member", "Pulumi.yaml")
	assert.Contains(t, read("README.md"), "```yaml\n"+read(path)+"```\n")
	s := engine.New(t, engine.Options{Program: engine.Example(t, path), Config: map[string]string{
		"sshKey": engine.SSHKey, "caCert": read("provider", "testdata", "pki", "ca.crt"),
	}})
	_, _, err := s.Run("config", "set", "--secret", "--", "caKey", read("provider", "testdata", "pki", "ca.key"))
	require.NoError(t, err)
	s.Up()
	assert.Equal(t, "192.168.122.11:2379", s.Output("endpoint"))
	assert.True(t, s.Up().Unchanged())
}
