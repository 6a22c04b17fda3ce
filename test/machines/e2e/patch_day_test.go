//go:build e2e

package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestPatchDay has the machines of a cluster upgrade their packages, one after the other, from one state of a repository
// to the next, and no write that etcd acknowledged is lost.
func TestPatchDay(t *testing.T) {
	c := newChanging(t)
	c.shape.proxy = must(t, "apt-proxy")
	r := newRepository(t)
	const asks = "touch /run/reboot-required; echo quorum-tested >>/run/reboot-required.pkgs\n"
	r.publish(t, pkg{name: "quorum-tested", version: "1"})
	for _, name := range c.shape.members {
		r.use(t, name)
		on(t, name, "sh", "-c", "apt-get update -q && apt-get install -q --yes quorum-tested")
	}
	day := func(asOf string, next ...pkg) func() {
		return func() {
			r.publish(t, next...)
			c.change(func(s *shape) { s.asOf = asOf })
		}
	}
	etcd := r.packaged(t, "etcd-server")
	tested := pkg{name: "quorum-tested", version: "1"}
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"first", func(t *testing.T) { // of a cluster that runs
			machines := c.machineIDs()
			day("2025-01-05", etcd.as("+quorum1"), tested)()
			c.lead(t, "etcd-2")
			up := c.Up()
			assert.Contains(t, up.Diagnostics, "etcd-1, etcd-2, etcd-3:\n", "all at once, in one message")
			assert.Contains(t, up.Diagnostics, "restart: patch day: packages")
			assert.Contains(t, up.Stdout+up.Diagnostics, "etcd-2: hands over the leadership")
			assert.Equal(t, machines, c.machineIDs(), "no machine is rebuilt")
			begun := time.Time{}
			for _, name := range c.shape.members {
				assert.Contains(t, said(t, name), "etcd-server: "+etcd.version+" -> "+etcd.version+"+quorum1")
				assert.Contains(t, said(t, name), "etcd.service: restarts")
				stopped, serves := etcdTime(t, name, "ActiveExitTimestamp"), etcdTime(t, name, "ActiveEnterTimestamp")
				assert.Greater(t, stopped, begun, "%s restarts after the one before it serves", name)
				begun = serves
				assert.Contains(t, on(t, name, "apt-config", "dump"), `APT::Periodic::Enable "0";`)
				assert.Contains(t, on(t, name, "cat", "/var/lib/prometheus/node-exporter/quorum-software.prom"), `as_of="2025-01-05T00:00:00Z"`)
			}
			assert.Empty(t, c.Up().Ops(""))
		}},
		{"not in between", func(t *testing.T) {
			processes := c.processes(t)
			r.publish(t, etcd.as("+quorum2"), tested)
			for _, name := range c.shape.members {
				on(t, name, "/usr/lib/apt/apt.systemd.daily", "update")
				on(t, name, "/usr/lib/apt/apt.systemd.daily", "install")
				on(t, name, "systemctl", "restart", "quorum-software") // as a boot does
			}
			c.change(func(s *shape) { s.asOf = "2024-12-01" })
			assert.Contains(t, c.Up().Diagnostics, "packages never go back")
			assert.Equal(t, processes, c.processes(t))
		}},
		{"reboots, and killed", func(t *testing.T) {
			before := c.boots(t)
			day("2025-02-02", etcd.as("+quorum2"), pkg{name: "quorum-tested", version: "2", after: asks})()
			c.UpKilled(func(r engine.Result) bool {
				_, waits := r.Step("update", "EtcdMember", "main-etcd-2")
				return waits
			})
			c.Unlock()
			third := c.boots(t)["etcd-3"]
			c.Up()
			assert.Equal(t, before["etcd-3"], third, "it waited for the others")
			for name, boot := range c.boots(t) {
				assert.NotEqual(t, before[name], boot, name)
				assert.Contains(t, said(t, name), "quorum-tested: 1 -> 2", "the log of this boot has it too")
			}
			assert.Empty(t, c.Up().Ops(""))
		}},
		{"no repository", func(t *testing.T) {
			processes := c.processes(t)
			r.publish(t)
			c.change(func(s *shape) { s.asOf = "2025-03-02" })
			up := c.UpFails()
			assert.Contains(t, up.Diagnostics, "etcd-1: it could not apply its new configuration (rolled back)")
			assert.Contains(t, up.Diagnostics, "FAILED: apt-get update: ")
			assert.Equal(t, processes, c.processes(t), "all serve")
			assert.Equal(t, []string{"update main-etcd-1-domain"}, up.Ops("Domain"), "the others are left alone")

			day("2025-03-02T12:00:00Z", etcd.as("+quorum3"), tested)() // the same day, later
			c.Up()
			for name, process := range c.processes(t) {
				assert.NotEqual(t, processes[name], process, name)
				assert.Contains(t, said(t, name), "+quorum2 -> "+etcd.version+"+quorum3")
			}
		}},
		{"rebuilt, and restarts in its first boot", func(t *testing.T) { // from an image that is older
			require.NoError(t, hardware.lose(c.Stack, "etcd-3"))
			first := asksForRestart("etcd-3")
			c.Up("--refresh")
			done(t, "etcd-3")
			boot := <-first
			require.NotEmpty(t, boot, "it was asked for in time")
			assert.NotEqual(t, boot, c.boots(t)["etcd-3"], "it has been restarted")
			assert.Contains(t, said(t, "etcd-3"), "done: the packages are of 2025-03-02T12:00:00Z")
			assert.Contains(t, on(t, "etcd-3", "cat", "/var/lib/quorum/software.json"), `"asOf": "2025-03-02T12:00:00Z"`)
			assert.Contains(t, on(t, "etcd-3", "systemctl", "is-enabled", "quorum-software"), "enabled")
		}},
	} {
		if !t.Run(step.name, func(t *testing.T) { c.whileWriting(t, func() { step.run(t) }) }) {
			return
		}
	}
	assert.Equal(t, c.written, c.count(t, "numbers/"), "all that was ever acknowledged is there")
	c.Destroy()
}

// said is the log of patch days.
func said(t *testing.T, machine string) string {
	t.Helper()
	return on(t, machine, "journalctl", "--no-pager", "--output=cat", "--unit=quorum-software")
}

// asksForRestart has a machine asked for a restart as soon as it boots, as packages do that are upgraded then; it gives that boot.
func asksForRestart(machine string) <-chan string {
	boot := make(chan string, 1)
	go func() {
		defer close(boot)
		for range 300 {
			const ask = "touch /run/reboot-required && echo quorum-tested >/run/reboot-required.pkgs && cat /proc/sys/kernel/random/boot_id"
			if id, err := hardware.do("exec", machine, "sh", "-c", ask); err == nil {
				boot <- strings.TrimSpace(id)
				return
			}
			time.Sleep(200 * time.Millisecond)
		}
	}()
	return boot
}

// boots are the boots that members are in.
func (c *changing) boots(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.machineIDs())) {
		all[name] = on(t, name, "cat", "/proc/sys/kernel/random/boot_id")
	}
	return all
}
