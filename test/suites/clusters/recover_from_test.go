package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRecoverRefused asks for a recovery where nothing is lost.
func TestRecoverRefused(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	before := c.voters(t)
	c.recoverFrom("etcd-4")
	assert.Contains(t, c.PreviewFails().Diagnostics, "recoverFrom: must be one of members: etcd-1, etcd-2 or etcd-3")
	c.recoverFrom("etcd-2")
	for range 2 {
		assert.Regexp(t, "recoverFrom: etcd.*: the cluster has a quorum", c.UpFails().Diagnostics)
	}
	assert.Equal(t, before, c.voters(t))
	for _, name := range c.options.members {
		assert.Equal(t, 1, c.machines.Starts(name))
	}
	c.recoverFrom("")
	assert.True(t, c.Up().Unchanged())
}

// TestRecoverNobody has a recovery named in a program whose cluster was never there.
func TestRecoverNobody(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.recoverFrom("etcd-1")
	assert.Contains(t, c.UpFails().Diagnostics, "recoverFrom: etcd-1 does not answer")
	c.recoverFrom("")
	c.Up()
	assert.Len(t, c.voters(t), 1)
}

// TestRecoverKilled has the CLI and the providers die while the member that is
// left re-creates the cluster, and once more when the next one joins.
func TestRecoverKilled(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.change(func(o *options) { o.limit = "5m" })
	c.Up()
	c.writeAll(t)
	c.lose(t, "etcd-1", "etcd-2")
	c.recoverFrom("etcd-3")
	c.UpKilled(updates("Domain", "main-etcd-3-domain"))
	c.Unlock()
	c.UpKilled(updates("EtcdMember", "main-etcd-1"))
	c.Unlock()
	c.Up("--refresh")
	assert.Len(t, c.voters(t), 3)
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestRecoverByPassword has root log in by password, which takes a quorum.
func TestRecoverByPassword(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	settings := "      etcd: {clientCertAuth: false, grpcGatewayEnabled: true}\n      rootPassword: {fn::secret: the-password-of-root}\n"
	byPassword := func(extra string) {
		c.change(func(o *options) { o.limit, o.extra = "5m", settings+extra })
		c.Program(strings.NewReplacer("  rootCert: ${main.rootCert}\n", "", "  rootKey: ${main.rootKey}\n", "").Replace(c.options.program(c.subnet)))
	}
	byPassword("")
	c.Up()
	c.lose(t, "etcd-1", "etcd-2")
	failed := c.UpFails("--refresh")
	assert.Contains(t, failed.Diagnostics, "The quorum cannot come back by itself")
	assert.NotContains(t, failed.Stdout+failed.Stderr, "the-password-of-root")
	byPassword("      recoverFrom: etcd-3\n")
	c.Up()
	assert.True(t, c.Up().Unchanged())
}
