package clusters

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// named are etcd-1 to etcd-n.
func named(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("etcd-%d", i+1))
	}
	return all
}

// rebuild has machines be rebuilt.
func (o *options) rebuild(names ...string) {
	o.of = map[string]string{}
	for _, name := range names {
		o.of[name] = "            vcpus: 4\n"
	}
}

// TestDeadMembers has a cluster lose as many members as it tolerates, and the
// next up do what there is to do about them.
func TestDeadMembers(t *testing.T) {
	t.Parallel()
	for name, cure := range map[string]struct {
		of, dead int
		change   func(*options)
		left     int
	}{
		"removed":                {3, 1, func(o *options) { o.members = []string{"etcd-2", "etcd-3"} }, 2},
		"rebuilt":                {3, 1, func(o *options) { o.rebuild("etcd-1") }, 3},
		"rebuilt with a version": {3, 1, func(o *options) { o.rebuild("etcd-1"); o.extra = "      etcd: {version: 3.6.6}\n" }, 3},
		"rebuilt with settings":  {3, 1, func(o *options) { o.rebuild("etcd-1"); o.extra = "      etcd: {heartbeatInterval: 150}\n" }, 3},
		"all rebuilt":            {3, 1, func(o *options) { o.image = "debian-14.qcow2" }, 3},
		"replaced":               {3, 1, func(o *options) { o.members = []string{"etcd-2", "etcd-3", "etcd-4"} }, 3},
		"two of five rebuilt":    {5, 2, func(o *options) { o.rebuild("etcd-1", "etcd-2") }, 5},
		"two of five removed":    {5, 2, func(o *options) { o.members = o.members[2:] }, 3},
		"two of five moved without data": {5, 2, func(o *options) {
			o.of = map[string]string{"etcd-1": "            uri: qemu+ssh://b/system\n", "etcd-2": "            uri: qemu+ssh://b/system\n"}
		}, 5},
		"three of seven replaced": {7, 3, func(o *options) { o.members = append(o.members[3:], "etcd-8", "etcd-9", "etcd-10") }, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, named(cure.of)...)
			c.Up()
			writer := c.write(t)
			for i, member := range named(cure.dead) {
				if (i+len(name))%2 == 0 { // both ailments come up among the cures, and together
					c.machines.Off(member)
				} else {
					c.machines.Freeze(member)
				}
			}
			c.change(func(o *options) { o.limit = "4m"; cure.change(o) }) // seven members on a busy machine
			c.Up()
			assert.Len(t, c.voters(t), cure.left)
			writer.stop(t)
			assert.True(t, c.Up().Unchanged())
		})
	}
}

// TestAskedAgain has a gate pass and the step behind it fail; then another
// member is lost, and the same step must not be taken.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]struct {
		change   func(*options)
		op, kind string
		args     []string
	}{
		"machine rebuilt":    {func(o *options) { o.rebuild("etcd-1") }, "delete", "Domain", nil},
		"data volume lost":   {func(o *options) { o.of = map[string]string{"etcd-1": "            uri: qemu+ssh://b/system\n"} }, "delete", "Domain", nil},
		"drive swapped":      {func(o *options) { o.extra = "      etcd: {heartbeatInterval: 150}\n" }, "update", "Domain", nil},
		"replaced by target": {func(*options) {}, "", "", []string{"--target-replace", domain("etcd-1"), "--target-dependents", "--target", plan}},
		"replaced":           {func(*options) {}, "", "", []string{"--replace", domain("etcd-1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, named(3)...)
			c.Up()
			before := c.machineID("etcd-1")
			starts := c.machines.Starts("etcd-1")
			c.change(step.change)
			c.change(func(o *options) { o.limit = "20s" })
			if step.op != "" {
				c.World.Fail(step.op, step.kind, "etcd-1", "libvirt: connection lost")
				assert.Contains(t, c.UpFails().Diagnostics, "libvirt: connection lost")
				c.World.Heal(step.op, step.kind, "etcd-1")
			}
			c.machines.Off("etcd-2")
			for range 2 {
				failed := c.UpFails(step.args...)
				assert.Equal(t, before, c.machineID("etcd-1"), failed.Diagnostics)
				assert.Equal(t, starts, c.machines.Starts("etcd-1"), "etcd did not restart")
			}
			c.machines.Mend("etcd-2")
			c.change(func(o *options) { o.limit = "90s" })
			c.Up(step.args...)
			assert.NotEqual(t, before+fmt.Sprint(starts), c.machineID("etcd-1")+fmt.Sprint(c.machines.Starts("etcd-1")))
			assert.Len(t, c.voters(t), 3)
			assert.True(t, c.Up().Unchanged())
		})
	}
}

// TestTargetAlone has an update leave out what the guard asks by: the machine
// stays, and the error says what to add.
func TestTargetAlone(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	before := c.machineID("etcd-1")
	failed := c.UpFails("--target-replace", domain("etcd-1"), "--target-dependents")
	assert.Contains(t, failed.Diagnostics, "the machine of etcd-1 cannot be deleted in this update, which leaves out main-plan")
	assert.Equal(t, before, c.machineID("etcd-1"))
}

// machineID is that of a member's machine in the world, or "".
func (c *cluster) machineID(name string) string {
	for _, o := range c.World.Objects() {
		if o.Type == "Domain" && o.Name == name {
			return o.ID
		}
	}
	return ""
}

// TestDestroysWithoutAsking takes down a cluster of which too little is left.
func TestDestroysWithoutAsking(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"alone": nil, "with the program": {"--run-program"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, named(3)...)
			c.Up()
			c.machines.Off("etcd-1")
			c.machines.Freeze("etcd-2")
			c.Destroy(args...)
			assert.Empty(t, c.World.Names("Domain"))
		})
	}
	t.Run("taken out of the program", func(t *testing.T) {
		t.Parallel()
		c := newCluster(t, named(3)...)
		c.Up()
		c.machines.Off("etcd-1")
		c.Program("variables: {nothing: left}\n")
		c.Up()
		assert.Empty(t, c.World.Names("Domain"))
	})
}
