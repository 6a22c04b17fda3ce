// Package platform has the real engine bring up the stacks of examples/platform
// against a fake libvirt.
package platform

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/engine"
)

func TestStacksReferToEachOther(t *testing.T) {
	t.Parallel()
	etcd := newStack(t, "etcd", nil, "rootPassword")
	etcd.Up()
	dns := newStack(t, "dns", etcd, "etcdPassword")
	dns.Up()
	postgres := newStack(t, "postgres", etcd, "etcdPassword", "superuserPassword", "replicatorPassword")
	assert.Equal(t, postgres.Preview().Changes["create"], postgres.Up().Changes["create"])
	for _, s := range []*engine.Stack{etcd, dns, postgres} {
		assert.True(t, s.Up().Unchanged())
		assert.NotContains(t, s.Export(), "correct-horse")
	}
	outputs := postgres.Outputs()
	assert.Equal(t, "192.168.122.41:5432", outputs["primary"])
	assert.Contains(t, outputs["zone"], "\nnodes.postgres IN A 192.168.122.33\n")
	assert.Contains(t, postgres.World.State("postgres-1"), "192.168.122.12:2379")
	assert.Contains(t, postgres.World.State("postgres-lb"), "192.168.122.21:53")
	for _, s := range []*engine.Stack{postgres, dns, etcd} {
		s.Destroy()
		assert.Empty(t, s.World.Objects())
	}
}

func newStack(t *testing.T, name string, first *engine.Stack, secrets ...string) *engine.Stack {
	t.Helper()
	s := engine.New(t, engine.Options{
		Program: engine.Example(t, filepath.Join("examples", "platform", name, "Pulumi.yaml")),
		Project: "platform-" + name, Beside: first,
		Config: map[string]string{"sshPublicKey": engine.SSHKey},
	})
	for _, key := range secrets {
		_, stderr, err := s.Run("config", "set", "--secret", key, "correct-horse-"+key)
		require.NoError(t, err, stderr)
	}
	return s
}
