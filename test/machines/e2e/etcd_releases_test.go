//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestEtcdReleases brings a cluster from Debian's package of etcd to the publisher's releases, by 3.5 to 3.6, and all the way
// back, while a client writes. No machine is rebuilt, and no write that etcd acknowledged is lost.
func TestEtcdReleases(t *testing.T) {
	const packaged, mending, next = "3.5.16", "3.5.32", "3.6.11"
	c := newChanging(t)
	c.shape.proxy = must(t, "apt-proxy")
	site := startPublisher(t, mending, next)
	for _, name := range c.shape.members {
		site.use(t, name)
	}
	machines, voters := c.machineIDs(), c.voters(t)
	asks := func(version string) { c.change(func(s *shape) { s.etcd = fmt.Sprintf("{version: %s}", version) }) }
	for _, step := range []struct {
		name string
		run  func(*testing.T)
		then string
	}{
		{"too far", func(t *testing.T) {
			asks(next)
			assert.Contains(t, c.UpFails().Diagnostics, "runs etcd 3.5.16, and the version in the program must be 3.5.26 or a later 3.5 first")
		}, packaged},
		{"to a release", func(*testing.T) { asks(mending); c.Up() }, mending},
		{"to 3.6, killed, and back", func(t *testing.T) {
			asks(next)
			c.UpKilled(func(engine.Result) bool { return c.run(next) == 1 })
			c.Unlock()
			asks(mending)
			c.Up()
		}, mending},
		{"to 3.6, from a member that is off on", func(t *testing.T) {
			asks(next)
			machine(t, "off", "etcd-2")
			c.Up()
		}, next},
		{"back to 3.5", func(t *testing.T) {
			asks(mending)
			assert.Contains(t, c.Up().Diagnostics, "etcd makes its data such that 3.5.32 can read them")
		}, mending},
		{"back to the package", func(*testing.T) { c.change(func(s *shape) { s.etcd = "{}" }); c.Up() }, packaged},
	} {
		if !t.Run(step.name, func(t *testing.T) {
			c.whileWriting(t, func() { step.run(t) })
			assert.Equal(t, len(c.shape.members), c.run(step.then), "all run %s", step.then)
			assert.Equal(t, voters, c.voters(t))
			assert.Equal(t, machines, c.machineIDs())
		}) {
			return
		}
		if step.name != "too far" {
			assert.Empty(t, c.Up().Ops(""))
		}
	}
	assert.Equal(t, c.written, c.count(t, "numbers/"), "all that was ever acknowledged is there")
	c.Destroy()
}

// run is how many members run a version of etcd: their processes, not what is installed.
func (c *changing) run(version string) (is int) {
	for _, name := range c.shape.members {
		out, err := hardware.do("exec", name, "sh", "-c", `"/proc/$(systemctl show --value --property=MainPID etcd)/exe" --version`)
		if err == nil && strings.Contains(out, "etcd Version: "+version+"\n") {
			is++
		}
	}
	return is
}
