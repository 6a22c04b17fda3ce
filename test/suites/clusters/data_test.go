package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// dataVolume is the URN of a member's data volume.
func dataVolume(name string) string {
	return "urn:pulumi:dev::test::quorum:index:EtcdCluster$quorum:index:EtcdServer$libvirt:index/volume:Volume::main-" + name + "-data-volume"
}

// TestDataOfOneOfTwo has a member of two lose its data, as the program shows, and
// as only the engine knows: the other one alone would be no quorum.
func TestDataOfOneOfTwo(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	one := c.machineID("etcd-1")
	c.change(func(o *options) {
		o.members, o.of = named(2), map[string]string{"etcd-1": "            uri: qemu+ssh://b/system\n"}
	})
	assert.Contains(t, c.PreviewFails().Diagnostics, "this change deletes the data of etcd-1 (the data volume etcd-1-data.qcow2 in the pool default): a cluster of two members has no quorum without both")
	c.change(func(o *options) { o.of = nil })
	c.Up()
	assert.Contains(t, c.UpFails("--replace", dataVolume("etcd-1")).Diagnostics,
		"the machine of etcd-1 cannot be deleted now: its data would be lost with it, and of the 2 voting members 1 would be left, but 2 are needed. Add a member first")
	assert.Equal(t, one, c.machineID("etcd-1"))
	c.hasAll(t)
	c.change(func(o *options) { o.members = []string{"etcd-1", "etcd-2", "etcd-4"} })
	c.Up("--refresh")
	c.Up("--replace", dataVolume("etcd-1"))
	assert.NotEqual(t, one, c.machineID("etcd-1"))
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestDataGrows has data volumes grow below members that go on, and one that cannot: the next update
// goes on with it.
func TestDataGrows(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	writer := c.write(t)
	domains := c.World.Log("Domain")
	c.World.Fail("update", "Volume", "etcd-2-data.qcow2", "libvirt: no room")
	c.change(func(o *options) { o.data = "21474836480" })
	assert.Contains(t, c.UpFails().Diagnostics, "libvirt: no room")
	assert.Equal(t, []float64{20 << 30, 12 << 30, 12 << 30}, c.sizes())
	c.World.Heal("update", "Volume", "etcd-2-data.qcow2")
	c.change(func(o *options) { o.data = "" })
	assert.Contains(t, c.PreviewFails().Diagnostics, "size: must be 21474836480 (20 GiB) or more, not 12884901888 (12 GiB): a volume is not made smaller", "that of etcd-1")
	c.change(func(o *options) { o.data = "21474836480" })
	c.Up()
	assert.Equal(t, []float64{20 << 30, 20 << 30, 20 << 30}, c.sizes())
	assert.Equal(t, domains, c.World.Log("Domain"), "no machine was touched")
	assert.True(t, c.Up().Unchanged())
	writer.stop(t)
	c.hasAll(t)
}

// TestDataOfOnlyMemberDoNotGrow has a growth fail, and be taken back: nothing is lost by that.
func TestDataOfOnlyMemberDoNotGrow(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.writeAll(t)
	c.World.Fail("update", "Volume", "etcd-1-data.qcow2", "libvirt: no room")
	c.change(func(o *options) { o.data = "21474836480" })
	c.UpFails()
	c.World.Heal("update", "Volume", "etcd-1-data.qcow2")
	c.World.Forget()
	c.change(func(o *options) { o.data = "" })
	assert.NotContains(t, c.Preview().Diagnostics, "the data of")
	c.Up()
	assert.Empty(t, c.World.Log(""))
	assert.True(t, c.Up().Unchanged())
	c.hasAll(t)
}

// TestSmallerData has data volumes not become smaller, until they are replaced: members then get their data from
// the others, one after the other.
func TestSmallerData(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	c.World.Forget()
	c.change(func(o *options) { o.data = "10737418240" })
	const refused = "size: must be 12884901888 (12 GiB) or more, not 10737418240 (10 GiB): a volume is not made smaller"
	assert.Contains(t, c.PreviewFails().Diagnostics, refused)
	assert.Contains(t, c.UpFails().Diagnostics, refused)
	assert.Empty(t, c.World.Log(""))
	c.Up("--replace", "**::main-etcd-1-data-volume", "--replace", "**::main-etcd-2-data-volume", "--replace", "**::main-etcd-3-data-volume")
	assert.Equal(t, []float64{10 << 30, 10 << 30, 10 << 30}, c.sizes())
	assert.True(t, c.Up().Unchanged())
	c.hasAll(t)
}

// sizes are those of the data volumes, by member.
func (c *cluster) sizes() (all []float64) {
	for _, o := range c.World.Objects() { // by name
		if strings.HasSuffix(o.Name, "-data.qcow2") {
			size, _ := o.Props["size"].(float64)
			all = append(all, size)
		}
	}
	return all
}

// TestDataOfOnlyMember has the only member lose its data without and with a word
// in the program that it may, and its machine is rebuilt with them without a word.
func TestDataOfOnlyMember(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.writeAll(t)
	assert.Contains(t, c.UpFails("--replace", dataVolume("etcd-1")).Diagnostics, "the machine of etcd-1 cannot be deleted now: its data would be lost with it, and no other member has them")
	c.hasAll(t)
	c.change(func(o *options) { o.rebuild("etcd-1") })
	c.Up()
	c.hasAll(t)
	c.World.Remove("Domain", "etcd-1")
	c.Up("--refresh")
	c.hasAll(t)
	c.change(func(o *options) { o.extra = "      allowDataLoss: true\n" })
	c.Up("--replace", dataVolume("etcd-1"))
	assert.True(t, c.Up().Unchanged())
	c.change(func(o *options) { o.extra = "" })
	c.Up() // takes the cluster that began again for the one that it is
	assert.True(t, c.Up().Unchanged())
}

// onlyMemberGone is a cluster of one whose machine an update ended, and did not make again.
func onlyMemberGone(t *testing.T) *cluster {
	t.Helper()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.writeAll(t)
	c.World.Fail("create", "Domain", "etcd-1", "libvirt: connection lost")
	c.change(func(o *options) { o.memory = 2048 })
	c.UpFails()
	assert.Empty(t, c.World.Names("Domain"))
	return c
}

// TestOnlyMemberIsGone has an update fail between the end of the only machine and
// the next one, and the program change once more.
func TestOnlyMemberIsGone(t *testing.T) {
	t.Parallel()
	c := onlyMemberGone(t)
	c.World.Heal("create", "Domain", "etcd-1")
	c.change(func(o *options) { o.memory, o.extra = 4096, setting })
	c.Up()
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestGrowsWhileOnlyMemberIsGone has an update fail between the end of the only
// machine and the next one, and a member be added before that comes.
func TestGrowsWhileOnlyMemberIsGone(t *testing.T) {
	t.Parallel()
	c := onlyMemberGone(t)
	c.change(func(o *options) { o.members, o.limit = append(o.members, "etcd-2"), "12s" })
	c.UpFails()
	c.World.Heal("create", "Domain", "etcd-1")
	c.change(func(o *options) { o.limit = "90s" })
	c.Up("--refresh")
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}

// TestOneOfTwoIsGone has an update fail between the end of one machine of two and the next
// one: the quorum comes back with that one only.
func TestOneOfTwoIsGone(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]string{"etcd-1": "", "etcd-2": "", "etcd-1 while etcd-2 restarts": "etcd-2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gone, _, _ := strings.Cut(name, " ")
			c := newCluster(t, named(2)...)
			c.Up()
			c.writeAll(t)
			c.World.Fail("create", "Domain", gone, "libvirt: connection lost")
			c.change(func(o *options) { o.rebuild(gone) })
			c.UpFails("--refresh")
			c.World.Heal("create", "Domain", gone)
			if restarts != "" { // it serves nobody then, and so does not say who is in the cluster
				c.machines.Off(restarts)
				c.machines.Mend(restarts)
			}
			c.Up("--refresh")
			c.hasAll(t)
			assert.True(t, c.Up().Unchanged())
		})
	}
}

// TestOneOfTwoIsGoneAndTheOtherLeaves has the first member's machine go as above when a second
// one joined, which the program then takes back.
func TestOneOfTwoIsGoneAndTheOtherLeaves(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.writeAll(t)
	c.World.Fail("create", "Domain", "etcd-1", "libvirt: connection lost")
	c.change(func(o *options) { o.members = named(2); o.rebuild("etcd-1") })
	c.UpFails()
	assert.Equal(t, []string{"etcd-2"}, c.World.Names("Domain"))
	c.World.Heal("create", "Domain", "etcd-1")
	c.change(func(o *options) { o.members = named(1) })
	c.Up()
	c.hasAll(t)
	assert.Equal(t, []string{"etcd-1"}, c.World.Names("Domain"))
	assert.Len(t, c.voters(t), 1)
	assert.True(t, c.Up().Unchanged())
}

// TestOneOfTwoIsOffAndLeaves has one member of two, which is only off, leave the program, or
// another one come in its place: without it there is no quorum, so nothing is touched.
func TestOneOfTwoIsOffAndLeaves(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(2)...)
	c.Up()
	c.writeAll(t)
	domains, volumes := c.World.Objects(), c.World.Names("Volume")
	c.machines.Off("etcd-2")
	for _, program := range [][]string{{"etcd-1"}, {"etcd-1", "etcd-3"}} {
		c.change(func(o *options) { o.members, o.limit = program, "25s" })
		assert.Contains(t, c.UpFails().Diagnostics, "the cluster has no quorum: 2 of 2 voting members are needed")
		c.UpFails("--target", "**main-plan", "--target", "**etcd-2**")
		assert.Len(t, c.World.Objects(), len(domains))
		assert.Equal(t, volumes, c.World.Names("Volume"))
	}
	c.machines.Mend("etcd-2")
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1"}, "90s" })
	c.Up()
	c.hasAll(t)
	assert.True(t, c.Up().Unchanged())
}
