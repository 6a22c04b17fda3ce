package platform

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/outputs"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/postgresmachines"
)

// TestWithoutState makes new stacks of a site of which Pulumi's state is lost. Without S3, etcd here is founded empty, and
// gets a user of the lost site, which its snapshot would have; and PostgreSQL is founded empty.
func TestWithoutState(t *testing.T) {
	t.Parallel()
	subnet := loopback.Subnet(t)
	const kept = "root-of-the-lost-one"
	etcd := newStack(t, subnet, "etcd", nil, "", "")
	etcd.program = strings.ReplaceAll(strings.Replace(etcd.program, "# restore", "restore", 2), "      backup:", "      rootPassword: {fn::secret: "+kept+"}\n      backup:")
	etcd.Program(etcd.program)
	etcd.set(t, "--secret", "restoreKey", "a-key-that-was-kept")
	etcdmachines.Run(t, etcd.World)
	assert.Contains(t, etcd.Preview().Diagnostics, "this update founds the cluster from a snapshot")
	etcd.Up()
	assert.Equal(t, kept, etcd.Output("rootPassword"))

	root := outputs.Outputs{CACert: etcd.Output("caCert"), RootPassword: kept}
	for _, endpoint := range etcd.Outputs()["endpoints"].([]any) {
		root.Endpoints = append(root.Endpoints, endpoint.(string))
	}
	client, err := root.Client()
	require.NoError(t, err)
	defer client.Close()
	_, err = client.UserAdd(t.Context(), "patroni-platform", "of-the-lost-one")
	require.NoError(t, err)

	dns := newStack(t, subnet, "dns", etcd, served, "outputs:\n")
	dns.Up()
	postgres := newStack(t, subnet, "postgres", etcd, byName, "outputs:\n")
	postgres.Program(strings.ReplaceAll(postgres.program, "# restore", "restore"))
	postgres.set(t, "--secret", "restoreKey", "a-key-that-was-kept")
	postgres.set(t, "restoreStanza", "platform-5f2c91aa")
	assert.Contains(t, postgres.Preview().Diagnostics, "this update founds the cluster from the backups of platform-5f2c91aa")
	postgres.Program(postgres.program)
	postgresmachines.Run(t, postgres.World)
	assert.Contains(t, postgres.UpFails().Diagnostics, "already exists")
	_, err = client.UserDelete(t.Context(), "patroni-platform") // as the page has it
	require.NoError(t, err)
	postgres.Up()

	etcd.Program(strings.ReplaceAll(strings.ReplaceAll(etcd.program, "      restore:", "      # restore:"), "  restoreKey:", "  # restoreKey:"))
	for _, op := range etcd.Up().Ops("") {
		assert.NotRegexp(t, "replace.*(domain|volume)", op)
	}
	assert.True(t, etcd.Up().Unchanged())
}
