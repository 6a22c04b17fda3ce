package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPreviewTellsTheOrder adds members and rebuilds the one that was there: new ones come first, in
// the preview as in the update.
func TestPreviewTellsTheOrder(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.change(func(o *options) { o.members = named(3); o.memory = 2048 })
	preview, up := c.Preview(), c.Up()
	assert.Equal(t, []string{"create Domain etcd-2-domain", "create Domain etcd-3-domain", "delete-replaced Domain etcd-1-domain", "create-replacement Domain etcd-1-domain"}, steps(up, "Domain"))
	assert.Contains(t, preview.Diagnostics, "    etcd-2, etcd-3: a new machine\n    etcd-1: restart: the machine")
	assert.Contains(t, up.Diagnostics, "    etcd-2, etcd-3: a new machine\n    etcd-1: restart: the machine")

	c.change(func(o *options) { o.members = []string{"etcd-1", "etcd-3", "etcd-2"} })
	assert.Contains(t, c.Preview().Diagnostics, "main: 1 setting changes\n    members: in another order: etcd-1, etcd-3, etcd-2\n")
}

// TestPreviewOfARenamedCluster has the cluster be called otherwise in the program: its ClusterChange
// keeps the id that it had, and tells what happens to its machines all the same. Its authority stays.
func TestPreviewOfARenamedCluster(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	authority := c.Output("caCert")
	const before = "  main:\n    type: quorum:EtcdCluster\n    options: {"
	program := c.options.program(c.subnet)
	require.Contains(t, program, before)
	program = strings.Replace(program, before, "  other:\n    type: quorum:EtcdCluster\n    options: {aliases: ['urn:pulumi:dev::test::quorum:index:EtcdCluster::main'], ", 1)
	program = strings.ReplaceAll(program, "${main.", "${other.")
	c.Program(strings.Replace(program, "memory: 1024", "memory: 2048", 1))
	preview := c.Preview()
	assert.Contains(t, preview.Diagnostics, "other: 1 setting changes\n    members[etcd-1].libvirt.memory: 1024 -> 2048\n  this machine changes:\n    etcd-1: restart: the machine")
	assert.Empty(t, preview.Ops("SelfSignedCert"))
	c.Program(program)
	c.Up()
	assert.Equal(t, authority, c.Output("caCert"))
	assert.True(t, c.Up().Unchanged())
	c.Program(strings.Replace(program, "memory: 1024", "memory: 2048", 1))
	c.Up()
}
