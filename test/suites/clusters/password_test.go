package clusters

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// byPassword has root log in by one, with further inputs.
func (c *cluster) byPassword(password, settings, more string) {
	c.change(func(o *options) {
		o.extra = fmt.Sprintf("      etcd: {clientCertAuth: false%s}\n      rootPassword: {fn::secret: %s}\n%s", settings, password, more)
	})
	c.Program(strings.NewReplacer("  rootCert: ${main.rootCert}\n", "", "  rootKey: ${main.rootKey}\n", "").Replace(c.options.program(c.subnet)))
}

// isRoot tells whether root has a password.
func (c *cluster) isRoot(t *testing.T, password string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	root := "root"
	client, err := admin.Dial(ctx, host.EtcdConnection{Endpoints: c.endpoints(), CACert: c.Output("caCert"), Username: &root, Password: &password})
	if err != nil {
		require.ErrorContains(t, err, "invalid user ID or password")
		return false
	}
	client.Close()
	return true
}

// TestRootPasswordHalfChanged is the row of docs/clusters.md, "Recover", that
// has this name: an update with another password stops at a member, before the
// password is in force or after that. The hook asks whether etcd may restart on
// the others meanwhile.
func TestRootPasswordHalfChanged(t *testing.T) {
	t.Parallel()
	for name, stops := range map[string]struct{ at, leaves string }{
		"the old one is in force": {"etcd-1", "the-first"}, "the new one is in force": {"etcd-2", "the-second"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, named(3)...)
			c.byPassword("the-first", "", "")
			c.Up()
			c.byPassword("the-second", ", heartbeatInterval: 150", "")
			c.World.Fail("update", "Domain", stops.at, "libvirt: connection lost")
			failed := c.UpFails()
			assert.Contains(t, failed.Diagnostics, "libvirt: connection lost")
			c.World.Heal("update", "Domain", stops.at)
			assert.True(t, c.isRoot(t, stops.leaves), "it is half changed")

			c.byPassword("the-third", ", heartbeatInterval: 150", "")
			up := c.Up()
			assert.True(t, c.isRoot(t, "the-third"))
			assert.False(t, c.isRoot(t, stops.leaves))
			for _, member := range c.options.members {
				assert.Equal(t, 2, c.machines.Starts(member), "%s restarted once", member)
			}
			assert.NotContains(t, failed.Stdout+failed.Stderr+up.Stdout+up.Stderr, "the-")
			assert.True(t, c.Up().Unchanged())
		})
	}
}

// TestGrowsWithAnotherPassword adds members in an update that changes root's
// password: these come first, while it is not in force yet.
func TestGrowsWithAnotherPassword(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.byPassword("the-first", "", "")
	c.Up()
	c.options.members = named(5)
	c.byPassword("the-second", "", "")
	c.Up()
	assert.True(t, c.isRoot(t, "the-second"))
	assert.False(t, c.isRoot(t, "the-first"))
	assert.True(t, c.Up().Unchanged())
}
