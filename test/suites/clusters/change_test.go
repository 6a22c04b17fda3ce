package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestGrowsAndShrinks has a cluster of three become one of five and of three
// again: the founders keep their machines and stay who they are.
func TestGrowsAndShrinks(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	assert.Equal(t, 1, strings.Count(c.Up().Diagnostics, "  etcdctl --endpoints "), "the end says how to reach it")
	founders, writer := c.voters(t), c.write(t)
	c.change(func(o *options) { o.members = append(o.members, "etcd-4", "etcd-5") })
	grown := c.Up()
	assert.Equal(t, 1, strings.Count(grown.Diagnostics, "  etcdctl --endpoints "), "it has other endpoints")
	assert.Len(t, c.voters(t), 5)
	assert.Subset(t, c.voters(t), founders)
	for _, founder := range []string{"etcd-1", "etcd-2", "etcd-3"} {
		assert.NotContains(t, order(grown), "delete-replaced Domain "+founder+"-domain")
	}
	c.change(func(o *options) { o.members = o.members[:3] })
	c.Up()
	assert.Equal(t, founders, c.voters(t))
	assert.ElementsMatch(t, []string{"etcd-1", "etcd-2", "etcd-3"}, c.World.Names("Domain"))
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())
}

// TestLostData has a machine and its data go, and an up bring it back as a
// member that gets all data before it votes.
func TestLostData(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	before, writer := c.voters(t), c.write(t)
	c.World.RemoveAll("etcd-2")
	c.Up("--refresh")
	after := c.voters(t)
	assert.Len(t, after, 3)
	assert.NotEqual(t, before["etcd-2"], after["etcd-2"], "it is another member than the one whose data are gone")
	assert.Equal(t, before["etcd-1"], after["etcd-1"])
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())
}

// TestStopsAtSickMember has an update meet a member that does not come up.
func TestStopsAtSickMember(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	c.machines.SickFromNow("etcd-2")
	c.change(func(o *options) { o.image, o.limit = "debian-14.qcow2", "30s" })
	failed := c.UpFails()
	assert.Regexp(t, "etcd-2: timed out after 3[0-9]s", failed.Diagnostics)
	assert.NotContains(t, order(failed), "delete-replaced Domain etcd-3-domain", "those after it are left alone")

	c.machines.Sick("etcd-2", false)
	c.change(func(o *options) { o.limit = "90s" })
	resumed := c.Up()
	assert.NotContains(t, order(resumed), "delete-replaced Domain etcd-1-domain", "what is done stays")
	assert.Contains(t, order(resumed), "delete-replaced Domain etcd-3-domain")
	assert.Len(t, c.voters(t), 3)
}

// TestSickMemberFirst has an update begin with the member that does not answer:
// behind the others it would be waited for by them, and never reached.
func TestSickMemberFirst(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	c.machines.Sick("etcd-3", true)
	c.change(func(o *options) { o.image, o.limit = "debian-14.qcow2", "20s" })
	failed := c.UpFails()
	assert.Regexp(t, "etcd-3: timed out after 2[0-9]s", failed.Diagnostics)
	for _, other := range []string{"etcd-1", "etcd-2"} {
		assert.NotContains(t, order(failed), "delete-replaced Domain "+other+"-domain", "without etcd-3, %s cannot be spared", other)
	}
	c.machines.Sick("etcd-3", false)
	c.change(func(o *options) { o.limit = "90s" })
	c.Up()
	assert.Len(t, c.voters(t), 3)
}

// TestSettings has a setting that etcd reads at its start change: machines
// stay, and etcd restarts on one after the other.
func TestSettings(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	c.change(func(o *options) { o.extra = "      etcd: {heartbeatInterval: 150}\n" })
	up := c.Up()
	assert.Equal(t, []string{
		"update EtcdHealth without-etcd-1", "update Domain etcd-1-domain", "update EtcdMember etcd-1",
		"update EtcdHealth without-etcd-2", "update Domain etcd-2-domain", "update EtcdMember etcd-2",
		"update EtcdHealth without-etcd-3", "update Domain etcd-3-domain", "update EtcdMember etcd-3",
		"update EtcdHealth healthy",
	}, order(up))
}

// TestAnotherHypervisor moves a member.
func TestAnotherHypervisor(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	writer := c.write(t)
	c.change(func(o *options) { o.of = map[string]string{"etcd-2": "            uri: qemu+ssh://b/system\n"} })
	up := c.Up()
	assert.Contains(t, order(up), "delete-replaced Domain etcd-2-domain")
	for _, other := range []string{"etcd-1", "etcd-3"} {
		assert.NotContains(t, order(up), "delete-replaced Domain "+other+"-domain")
	}
	for _, o := range c.World.Objects() {
		if o.Type == "Domain" {
			assert.Equal(t, o.Name == "etcd-2", o.Host == "qemu+ssh://b/system", "%s on %s", o.Name, o.Host)
		}
	}
	assert.Len(t, c.voters(t), 3)
	writer.stop(t)
}

// TestRefused has previews refuse what would endanger the cluster.
func TestRefused(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.change(func(o *options) { o.extra = "      etcd: {version: 3.5.21}\n" })
	c.World.Fail("create", "Domain", "etcd-1", "")
	c.UpFails() // what the plan was is known all the same
	refuses := func(why string, to func(*options)) {
		t.Helper()
		was := c.options
		c.change(to)
		assert.Contains(t, c.PreviewFails().Diagnostics, why)
		c.change(func(o *options) { *o = was })
	}
	refuses("etcd is upgraded one minor version at a time", func(o *options) { o.extra = "      etcd: {version: 3.7.0}\n" })
	refuses("must keep at least one of etcd-1, etcd-2, etcd-3", func(o *options) { o.members = []string{"etcd-4", "etcd-5", "etcd-6"} })
	refuses("at most 1 of 3 members may be rebuilt or removed in one update", func(o *options) { o.image = "x.qcow2"; o.extra += "      skipHealthChecks: true\n" })
	refuses("at most 1 of 3 members may be rebuilt or removed in one update", func(o *options) { o.members = o.members[:1]; o.extra += "      skipHealthChecks: true\n" })
	refuses(c.subnet+".2, the address of etcd-2", func(o *options) { o.members = []string{"etcd-1", "other-2", "etcd-3"} })
	c.Program(strings.ReplaceAll(c.options.program(c.subnet), "ip: "+c.subnet+".", "ip: "+c.subnet+".1"))
	assert.Contains(t, c.PreviewFails().Diagnostics, "must keep the address of at least one of etcd-1, etcd-2, etcd-3")
	c.change(func(o *options) { o.extra = "" })
	assert.Contains(t, c.Preview().Diagnostics, "etcd.version was 3.5.21 and is no longer set")
	c.change(func(o *options) { o.members = append(o.members, "etcd-4") })
	assert.Contains(t, c.Preview().Diagnostics, "a cluster of 4 members tolerates no more failures than one of 3")
}

// TestImageIsNotThere has all members get an image that libvirt does not find, and then
// another one: no machine goes before its next root volume is there.
func TestImageIsNotThere(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	before := c.machineID("etcd-1")
	c.World.Fail("create", "Volume", "etcd-1.qcow2", "can't retrieve base volume with name 'debian-15.qcow2'")
	c.change(func(o *options) { o.image = "debian-15.qcow2" })
	assert.Contains(t, c.UpFails().Diagnostics, "can't retrieve base volume")
	assert.Equal(t, before, c.machineID("etcd-1"))
	c.hasAll(t)
	c.World.Heal("create", "Volume", "etcd-1.qcow2")
	c.change(func(o *options) { o.image = "debian-14.qcow2" })
	c.Up()
	c.hasAll(t)
	assert.Len(t, c.World.Names("Volume"), 6, "each machine has its root volume and its data")
	assert.True(t, c.Up().Unchanged())
}

// TestDataVolumeCannotBeMade has the data of a member move to a volume that libvirt cannot
// make, and then to another one. The engine deletes the machine again, which is gone.
func TestDataVolumeCannotBeMade(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.World.Fail("create", "Volume", "etcd-3-data.qcow2", "can't find storage pool 'fast'")
	c.change(func(o *options) { o.of = map[string]string{"etcd-3": "            uri: qemu+ssh://b/system\n"} })
	assert.Contains(t, c.UpFails().Diagnostics, "can't find storage pool")
	c.World.Heal("create", "Volume", "etcd-3-data.qcow2")
	c.Up()
	assert.Contains(t, c.World.Log("Domain"), "delete gone Domain etcd-3")
	assert.Len(t, c.voters(t), 3)
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}
