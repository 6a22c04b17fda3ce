package clusters

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
)

// TestRecover goes through the table of docs/clusters.md, "Recover": each row is
// run as it is written there, and named like it.
func TestRecover(t *testing.T) {
	t.Parallel()
	for row, run := range map[string]func(*testing.T, *cluster){
		"A machine is gone": func(t *testing.T, c *cluster) {
			before := c.voters(t)
			c.World.Remove("Domain", "etcd-2")
			c.Up("--refresh")
			assert.Equal(t, before, c.voters(t), "with its data it is who it was")
		},
		"A machine and its data are gone": func(t *testing.T, c *cluster) {
			before := c.voters(t)
			c.World.RemoveAll("etcd-2")
			assert.Contains(t, c.Up("--refresh").Stdout, "the data of etcd-2 are gone, it has to be added again")
			after := c.voters(t)
			assert.NotEqual(t, before["etcd-2"], after["etcd-2"], "it is another member")
			assert.Equal(t, before["etcd-1"], after["etcd-1"])
		},
		"A hypervisor is gone": func(t *testing.T, c *cluster) {
			c.change(func(o *options) { o.of = map[string]string{"etcd-2": "            uri: qemu+ssh://b/system\n"} })
			c.Up()
			c.World.Lose("qemu+ssh://b/system")
			assert.Contains(t, c.UpFails("--refresh").Diagnostics, "failed to connect")
			for _, r := range c.Resources() {
				if r.Inputs["uri"] == "qemu+ssh://b/system" {
					stdout, stderr, err := c.Run("state", "delete", "--yes", "--target-dependents", string(r.URN))
					require.NoError(t, err, stdout+stderr)
				}
			}
			c.change(func(o *options) { o.of["etcd-2"] = "            uri: qemu+ssh://c/system\n" })
			c.Up()
		},
		"A member is frozen": func(t *testing.T, c *cluster) {
			c.machines.Freeze("etcd-2")
			c.change(func(o *options) { o.extra, o.limit = o.extra+"      etcd: {heartbeatInterval: 150}\n", "20s" })
			assert.Regexp(t, "etcd-2: timed out after [0-9]+s: does not answer: no answer in time", c.UpFails().Diagnostics)
			c.change(func(o *options) { o.limit = "90s" })
			up := order(c.Up("--replace", domain("etcd-2")))
			first := slices.IndexFunc(up, func(step string) bool { return strings.Contains(step, " Domain ") })
			assert.Equal(t, "delete-replaced Domain etcd-2-domain", up[first], "before all others")
		},
		"A member is sick": func(t *testing.T, c *cluster) {
			c.machines.Sick("etcd-2", true)
			c.change(func(o *options) { o.rebuild("etcd-2"); o.limit = "20s" })
			failed := c.UpFails().Diagnostics
			assert.Regexp(t, "etcd-2: timed out after [0-9]+s: does not answer", failed)
			assert.Contains(t, failed, "Look at the machine: `journalctl -u etcd -u quorum-apply` on "+c.subnet+".2. The next `pulumi up` continues here.")
			c.machines.Sick("etcd-2", false)
			c.change(func(o *options) { o.image, o.limit = "debian-14.qcow2", "90s" })
			c.Up()
		},
		"The certificates have expired everywhere": func(t *testing.T, c *cluster) {
			for _, name := range c.options.members {
				c.machines.Expire(name, func(good string) string { return c.ca.expired(t, good) })
			}
			require.Eventually(t, func() bool { return !slices.Contains(admin.Alive(t.Context(), c.endpoints()), true) }, time.Minute, time.Second)
			c.change(func(o *options) { o.extra += "      certificate: {organization: renewed}\n" })
			c.Up()
		},
		"An update was killed": func(t *testing.T, c *cluster) {
			c.machines.SickFromNow("etcd-2") // so that the gate waits, and nothing else is in flight
			c.change(func(o *options) { o.image = "debian-14.qcow2" })
			c.UpKilled(updates("EtcdMember", "main-etcd-2"))
			c.machines.Sick("etcd-2", false)
			stdout, stderr, err := c.Run("up", "--yes", "--skip-preview")
			require.Error(t, err)
			assert.Contains(t, stdout+stderr, "the stack is currently locked by 1 lock(s)")
			c.Unlock()
			c.Up("--refresh")
		},
		"The drive could not be swapped": func(t *testing.T, c *cluster) {
			c.change(func(o *options) { o.extra += "      etcd: {heartbeatInterval: 150}\n" })
			c.World.Fail("update", "Domain", "etcd-2", "libvirt: connection lost")
			assert.Contains(t, c.UpFails().Diagnostics, "libvirt: connection lost")
			c.World.Heal("update", "Domain", "etcd-2")
			c.Up()
		},
		"The database is full": func(t *testing.T, c *cluster) {
			client := c.becomesFull(t)
			c.change(func(o *options) { o.extra, o.limit = o.extra+"      defragment: nothing was deleted\n", "20s" })
			failed := c.UpFails().Diagnostics
			assert.Contains(t, failed, "the database is full (alarm NOSPACE of etcd-")
			assert.Contains(t, failed, "of its quota of 16 MiB")
			c.change(func(o *options) { o.limit = "90s" })
			c.settings(4*smallQuota, "")
			c.Up()
			c.writes(t, client)
		},
		"The database is full and data can go": func(t *testing.T, c *cluster) {
			client := c.becomesFull(t)
			c.empty(t, client)
			c.settings(smallQuota, "      defragment: \"2026-11-22\"\n")
			c.Up()
			c.writes(t, client)
		},
		"There is no quorum": func(t *testing.T, c *cluster) {
			c.machines.Off("etcd-1")
			c.machines.Off("etcd-2")
			c.change(func(o *options) { o.image, o.limit = "debian-14.qcow2", "20s" })
			before := c.machineID("etcd-3")
			failed := c.UpFails().Diagnostics
			assert.Contains(t, failed, "the cluster has no quorum: 2 of 3 voting members are needed")
			assert.Contains(t, failed, "Start etcd-1, etcd-2.")
			assert.Len(t, c.World.Names("Domain"), 3)
			assert.Equal(t, before, c.machineID("etcd-3"), "none is destroyed")
			c.machines.Mend("etcd-1")
			c.machines.Mend("etcd-2")
			c.change(func(o *options) { o.limit = "90s" })
			c.Up()
		},
		"Machines are off": func(t *testing.T, c *cluster) {
			c.World.PowerOff("etcd-1")
			c.World.PowerOff("etcd-2")
			c.silent(t, "etcd-1", "etcd-2")
			c.Up("--refresh")
		},
		"A majority is lost with its data": func(t *testing.T, c *cluster) {
			c.lose(t, "etcd-1", "etcd-3")
			c.change(func(o *options) { o.limit = "5m" })
			assert.Contains(t, c.UpFails("--refresh").Diagnostics, "The quorum cannot come back by itself")
			c.change(func(o *options) { o.extra += "      recoverFrom: etcd-2\n" })
			c.Up()
		},
		"All members have lost their data": func(t *testing.T, c *cluster) {
			c.writeAll(t)
			c.lose(t, c.options.members...)
			failed := c.UpFails("--refresh").Diagnostics
			assert.Contains(t, failed, "this cluster has lost data: its key quorum/identity is")
			with := c.options.extra
			c.change(func(o *options) { o.extra += "      skipHealthChecks: true\n" })
			c.Up()
			c.change(func(o *options) { o.extra = with })
			c.Up("--refresh")
			_, err := c.client(t).Put(t.Context(), "/before", "from elsewhere")
			require.NoError(t, err)
		},
	} {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, named(3)...)
			c.ca = newAuthority(t)
			c.change(func(o *options) { o.extra = c.ca.input() })
			c.Up()
			client := c.client(t)
			_, err := client.Put(t.Context(), "/before", row)
			require.NoError(t, err)
			run(t, c)
			found, err := c.client(t).Get(t.Context(), "/before")
			require.NoError(t, err)
			require.Len(t, found.Kvs, 1, "what was acknowledged is there")
			assert.Len(t, c.voters(t), 3)
			assert.True(t, c.Up().Unchanged())
		})
	}
}

// domain is the URN of a member's machine.
func domain(name string) string {
	return "urn:pulumi:dev::test::quorum:index:EtcdCluster$quorum:index:EtcdServer$libvirt:index/domain:Domain::main-" + name + "-domain"
}

// endpoints are the addresses of the members for clients.
func (c *cluster) endpoints() (all []string) {
	for _, name := range c.options.members {
		all = append(all, c.subnet+"."+name[strings.LastIndex(name, "-")+1:]+":2379")
	}
	return all
}
