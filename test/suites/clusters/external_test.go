package clusters

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/numbers"
)

// amongOthers is a program whose members are all external, and the cluster that they are in.
func amongOthers(t *testing.T, byPassword bool, names ...string) (*cluster, *others) {
	t.Helper()
	c := newCluster(t, names...)
	c.releases(t, debian13)
	c.ca = newAuthority(t)
	o := newOthers(t, c, byPassword, names...)
	c.change(func(p *options) {
		p.extra, p.external = c.ca.input()+"      initialToken: of-terraform\n", slices.Clone(names)
		if byPassword {
			p.extra += "      etcd: {clientCertAuth: false}\n      rootPassword: of-the-others\n"
		}
	})
	return c, o
}

// domains is how many machines there are.
func (c *cluster) domains() (n int) {
	for _, o := range c.World.Objects() {
		if o.Type == "Domain" {
			n++
		}
	}
	return n
}

// ours has the program make the machine of a member.
func (c *cluster) ours(name string) {
	c.change(func(o *options) {
		o.external = slices.DeleteFunc(o.external, func(external string) bool { return external == name })
	})
}

// TestTakesOver makes one machine after the other of a cluster that was there, beside a helper, while
// a client writes; gives one back half-way, and goes on.
func TestTakesOver(t *testing.T) {
	t.Parallel()
	c, o := amongOthers(t, false, named(3)...)
	o.authenticate()
	client := o.client()
	list, err := client.MemberList(t.Context())
	require.NoError(t, err)
	writer := write(t, numbers.InEtcd(t, o.root, func() []string { return o.root.Endpoints }))

	assert.NotContains(t, c.Preview().Diagnostics, "authentication")
	assert.Equal(t, []string{"create EtcdHealth plan", "create EtcdHealth healthy"}, order(c.Up()))
	assert.Empty(t, c.World.Log("Domain"))
	before := c.voters(t)
	assert.Len(t, before, 3)
	is, err := client.Get(t.Context(), "quorum/identity")
	require.NoError(t, err)
	assert.Zero(t, is.Count, "nothing is written there yet")
	assert.True(t, c.Up().Unchanged())

	c.change(func(o *options) { o.members = append([]string{"etcd-4"}, o.members...) })
	c.Up()
	assert.Len(t, c.voters(t), 4)
	take := func(name string) {
		c.ours(name)
		assert.Contains(t, c.UpFails().Diagnostics, name+": a machine that was not made here answers at "+o.ip(name)+". It no longer leads")
		o.stop(name)
		c.Up()
		assert.Len(t, c.voters(t), 4)
	}
	take("etcd-1")
	assert.Contains(t, c.voters(t), "etcd-2")
	assert.Contains(t, c.DestroyFails().Diagnostics, "cannot be deleted together with the cluster: other members are external")
	assert.Equal(t, 2, c.domains())
	assert.Len(t, c.voters(t), 4)

	c.change(func(o *options) { o.external = append(o.external, "etcd-1") })
	assert.Contains(t, c.PreviewFails().Diagnostics, "etcd-1 must not become external while its machine is one of this program, which would be deleted")
	c.change(func(o *options) { o.members = []string{"etcd-4", "etcd-2", "etcd-3"} })
	c.Up()
	o.members = append(o.members, "etcd-4")
	o.again("etcd-1")
	c.change(func(o *options) { o.members = []string{"etcd-4", "etcd-1", "etcd-2", "etcd-3"} })
	c.Up()
	assert.Len(t, c.voters(t), 4)

	take("etcd-1")
	take("etcd-2")
	take("etcd-3")
	c.change(func(o *options) { o.members = named(3) })
	c.Up()
	writer.stop(t)
	assert.Len(t, c.voters(t), 3)
	assert.Equal(t, 3, c.domains())
	after, err := c.client(t).MemberList(t.Context())
	require.NoError(t, err)
	assert.Equal(t, list.Header.ClusterId, after.Header.ClusterId)
	is, err = c.client(t).Get(t.Context(), "quorum/identity")
	require.NoError(t, err)
	assert.Equal(t, int64(1), is.Count)
	assert.True(t, c.Up().Unchanged())
	t.Logf("%d writes, %d failed, longest gap %s", writer.acknowledged, writer.failed, writer.longest)
}

// TestTakesOverWithoutAuth has a cluster without authentication: it is turned on only when that is
// wanted, and never while a member is external. Root has a password.
func TestTakesOverWithoutAuth(t *testing.T) {
	t.Parallel()
	c, o := amongOthers(t, true, named(3)...)
	client := o.client()
	isOn := func() bool {
		status, err := client.AuthStatus(t.Context()) // which only root may ask
		return err != nil && strings.Contains(err.Error(), "user name is empty") || err == nil && status.Enabled
	}
	const off = "authentication is off in this cluster"
	assert.Contains(t, c.Preview().Diagnostics, off)
	assert.Contains(t, c.Up().Diagnostics, off)
	for _, name := range named(3) {
		c.ours(name)
		if name == "etcd-3" {
			assert.Contains(t, c.PreviewFails().Diagnostics, off+", and this update would turn it on")
			assert.Contains(t, c.UpFails().Diagnostics, off+", and this update would turn it on")
			assert.False(t, isOn())
			c.change(func(p *options) { p.extra += "      enableAuth: true\n" })
			assert.Contains(t, c.Preview().Diagnostics, "authentication is turned on in this cluster")
			c.UpFails()
			assert.False(t, isOn(), "the update stopped before it")
		}
		o.stop(name)
		c.Up()
	}
	assert.Eventually(t, isOn, time.Minute, time.Second)
	c.change(func(p *options) {
		p.extra = c.ca.input() + "      initialToken: of-terraform\n      etcd: {clientCertAuth: false}\n      rootPassword: of-the-others\n"
	})
	c.Up()
	assert.True(t, c.Up().Unchanged())
}

// TestNoSecondCluster has programs that do not say, or not rightly, that a cluster is there.
func TestNoSecondCluster(t *testing.T) {
	t.Parallel()
	c, o := amongOthers(t, false, named(3)...)
	o.authenticate()
	all := c.options.external
	c.change(func(p *options) { p.external = nil })
	const there = ": etcd, or something else, serves at "
	assert.Contains(t, c.UpFails().Diagnostics, there)
	assert.Empty(t, c.World.Log("Domain"))
	another := newAuthority(t)
	own := c.options.extra
	c.change(func(p *options) { p.extra = another.input() })
	assert.Contains(t, c.UpFails().Diagnostics, "something with a certificate of another authority serves at "+o.ip("etcd-"))
	assert.Empty(t, c.World.Log("Domain"))

	c.change(func(p *options) {
		p.extra, p.external, p.members = own, append(all, "etcd-5"), append(named(3), "etcd-5")
	})
	const unknown = "etcd-5 is external, and the cluster has no member of that name: it has etcd-"
	assert.Contains(t, c.UpFails().Diagnostics, unknown)
	c.change(func(p *options) { p.external, p.members, p.at = all, named(3), map[string]string{"etcd-1": "9"} })
	const elsewhere = "etcd-1 is external with the address "
	assert.Contains(t, c.PreviewFails().Diagnostics, elsewhere)

	c.change(func(p *options) { p.members, p.external, p.at = []string{"etcd-1", "etcd-2", "etcd-4"}, named(2), nil })
	assert.Contains(t, c.Up().Diagnostics, "the cluster has members that the program does not name: etcd-3")
	assert.Len(t, c.voters(t), 4, "etcd-3 is somebody else's")

	c.change(func(p *options) { p.members, p.external = []string{"etcd-1", "etcd-2", "etcd-4"}, nil })
	const unnamed = "the cluster has members that the program does not name, and this update would remove them: etcd-3"
	assert.Contains(t, c.PreviewFails().Diagnostics, unnamed)
	assert.Contains(t, c.UpFails().Diagnostics, unnamed)
	c.change(func(p *options) { p.external = named(2) })
	c.Up()

	for _, name := range named(3) {
		o.stop(name)
	}
	c.change(func(p *options) { p.members = append(p.members, "etcd-6") })
	assert.Contains(t, c.Preview().Diagnostics, "the cluster could not be asked, and the update fails unless that changes: ")
	c.UpFails()
	assert.Equal(t, 1, c.domains(), "no machine is made")
}

// TestTakesOverData keeps the data volumes of a cluster that was there, and the certificates, whose authority has no
// key here: the members are who they were. An old machine is shut down and still defined at first. Then all go to the
// next minor version.
func TestTakesOverData(t *testing.T) {
	t.Parallel()
	c, o := amongOthers(t, false, named(3)...)
	o.authenticate()
	c.options.extra = fmt.Sprintf("      initialToken: of-terraform\n      tls: {caCert: %q, rootCert: %q, rootKey: {fn::secret: %q}}\n", c.ca.certPEM, *o.root.ClientCert, *o.root.ClientKey)
	c.options.certs = map[string]string{}
	for _, name := range named(3) {
		cert, key := c.ca.sign(t, name, o.ip(name), "127.0.0.1")
		c.options.certs[name] = fmt.Sprintf("          tls: {serverCert: %q, serverKey: {fn::secret: %q}}\n", cert+c.ca.certPEM, key)
	}
	writer := write(t, numbers.InEtcd(t, o.root, func() []string { return o.root.Endpoints }))
	program := func() {
		text, volumes := c.options.program(c.subnet), "\nresources:\n"
		for _, name := range named(3) {
			text = strings.Replace(text, "dataVolume: {pool: default, size: 12884901888}", "dataVolumeId: ${of-"+name+".id}", 1)
			volumes += fmt.Sprintf("  of-%[1]s: {type: \"libvirt:Volume\", properties: {name: of-%[1]s, pool: default, size: 1073741824}}\n", name)
		}
		c.Program(strings.Replace(text, "\nresources:\n", volumes, 1))
	}
	program()
	c.Up()
	before := c.voters(t)
	for _, name := range named(3) {
		c.ours(name)
		program()
		c.UpFails()
		o.stop(name)
		for _, volume := range c.World.Objects() {
			if volume.Kind == "volumes" && strings.HasSuffix(volume.Name, "of-"+name) {
				there := filepath.Join(c.machines.Dir, "volumes", volume.Born)
				require.NoError(t, os.MkdirAll(there, 0o700))
				require.NoError(t, os.Rename(filepath.Join(o.dir, name, "data", "member"), filepath.Join(there, "member")))
			}
		}
		if name == "etcd-2" {
			c.World.Fail("create", "Domain", name, "operation failed: domain 'etcd-2' already exists with uuid 1f3b")
			c.UpFails()
			c.World.Heal("create", "Domain", name)
		}
		c.Up()
	}
	assert.Equal(t, before, c.voters(t), "they are who they were")
	c.options.extra += "      etcd: {version: " + mending + "}\n"
	program()
	c.Up()
	c.options.extra = strings.Replace(c.options.extra, mending, next, 1)
	program()
	c.Up()
	writer.stop(t)
	assert.Equal(t, before, c.voters(t))
	assert.True(t, c.Up().Unchanged())
	t.Logf("%d writes, %d failed, longest gap %s", writer.acknowledged, writer.failed, writer.longest)
}
