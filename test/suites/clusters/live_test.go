package clusters

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oneByOne is an update that reaches running machines.
func oneByOne(members ...string) (all []string) {
	for _, name := range members {
		all = append(all, "update EtcdHealth without-"+name, "update Domain "+name+"-domain", "update EtcdMember "+name)
	}
	return append(all, "update EtcdHealth healthy")
}

// TestRolledBack has a member put back what it was, which ends the update there
// with the reason. A corrected change goes on.
func TestRolledBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	heartbeat := func(ms int) {
		c.change(func(o *options) { o.extra = fmt.Sprintf("      etcd: {heartbeatInterval: %d}\n", ms) })
	}
	heartbeat(150)
	preview := c.Preview()
	for _, member := range c.options.members {
		assert.Contains(t, preview.Ops("MachineChange"), "update main-"+member)
	}
	assert.Contains(t, preview.Diagnostics, "etcd-1, etcd-2, etcd-3:\n      restart: etcd.service")

	c.machines.Refuse("etcd-2", "etcd.service: is failed\nit said \"no\"")
	failed := c.UpFails()
	assert.Contains(t, failed.Diagnostics, "etcd-2: it could not apply its new configuration (rolled back): etcd.service: is failed")
	assert.Contains(t, failed.Diagnostics, `it said "no"`)
	assert.NotContains(t, failed.Diagnostics, "resolving options", "the SDK's words for what waits for what failed")
	assert.NotContains(t, order(failed), "update Domain etcd-3-domain", "those after it are left alone")

	c.machines.Refuse("etcd-2", "")
	heartbeat(160)
	c.Up()
	assert.True(t, c.Up().Unchanged())
}

// TestCertificates has leaf certificates be renewed, and then the authority
// that signs them, while a client writes.
func TestCertificates(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.change(func(o *options) { o.next = true })
	c.Up()
	last, leaf := c.Output("caCert"), c.served(t, "etcd-1")
	became := func(inputs string) []string {
		t.Helper()
		writer := c.write(t)
		c.change(func(o *options) { o.extra = inputs })
		up := c.Up()
		writer.stop(t)
		assert.True(t, c.Up().Unchanged())
		return order(up)
	}
	starts := func() (all []int) {
		for _, member := range c.options.members {
			all = append(all, c.machines.Starts(member))
		}
		return all
	}

	const organization = "      certificate: {organization: another}\n"
	assert.Equal(t, append([]string{"update EtcdHealth plan"}, oneByOne(c.options.members...)...), became(organization))
	assert.Equal(t, []int{1, 1, 1}, starts(), "etcd reads its certificate again for each connection")
	assert.NotEqual(t, leaf, c.served(t, "etcd-1"))

	const signs = organization + "      ca: {cert: \"${next.certPem}\", key: \"${nextKey.privateKeyPem}\"}\n"
	c.change(func(o *options) { o.extra = signs })
	assert.Contains(t, c.PreviewFails().Diagnostics, "ca: must be an authority that all machines already trust")

	became(organization + "      trustedCaCerts: [\"${next.certPem}\"]\n")
	assert.Equal(t, []int{2, 2, 2}, starts(), "etcd reads what it trusts when it starts")
	leaf = c.served(t, "etcd-1")

	c.change(func(o *options) { o.extra = signs })
	assert.Contains(t, c.PreviewFails().Diagnostics, "ca: must not be the only trusted authority")

	became(signs + fmt.Sprintf("      trustedCaCerts: [%q]\n", last))
	assert.Equal(t, []int{2, 2, 2}, starts())
	assert.NotEqual(t, leaf, c.served(t, "etcd-1"))

	became(signs)
	assert.Equal(t, []int{3, 3, 3}, starts())
	require.NotEqual(t, last, c.Output("caCert"))
	assert.Equal(t, 1, strings.Count(c.Output("caCert"), "BEGIN"))
}

// TestAuthorityEnded has the authority end that the cluster made: another one is
// made in each update that tries, which the first gate refuses, until nobody is
// asked, as docs/certificates.md says.
func TestAuthorityEnded(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	before, last := c.voters(t), c.Output("caCert")
	c.World.Advance((5*365 + 1) * 24 * time.Hour)
	for range 2 {
		assert.Contains(t, c.UpFails().Diagnostics, "ca: must be an authority that all machines already trust")
	}
	c.change(func(o *options) { o.extra = "      skipHealthChecks: true\n" })
	c.Up()
	c.change(func(o *options) { o.extra = "" })
	c.Up()
	assert.Equal(t, before, c.voters(t))
	assert.NotEqual(t, last, c.Output("caCert"))
	assert.True(t, c.Up().Unchanged())
}
