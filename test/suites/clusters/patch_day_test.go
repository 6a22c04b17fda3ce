package clusters

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

func patched(day string) func(*options) {
	return extra(fmt.Sprintf("software: {asOf: %q}", day))
}

// TestPatchDay has another day of packages reach one machine after the other, each behind its gate, and goes on after
// the CLI and the providers have died.
func TestPatchDay(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	before, writer := c.machineID("etcd-1"), c.write(t)
	c.change(patched("2025-01-05"))
	previews.Reads(t, "etcd/patch-day-first", c.subnet, c.Preview())
	up := c.Up()
	assert.Contains(t, up.Stdout, "hands over the leadership")
	assert.Equal(t, []string{
		"update EtcdHealth without-etcd-1", "update Domain etcd-1-domain", "update EtcdMember etcd-1",
		"update EtcdHealth without-etcd-2", "update Domain etcd-2-domain", "update EtcdMember etcd-2",
		"update EtcdHealth without-etcd-3", "update Domain etcd-3-domain", "update EtcdMember etcd-3",
		"update EtcdHealth healthy",
	}, order(up))
	assert.True(t, c.Up().Unchanged())

	c.change(patched("2025-02-02"))
	previews.Reads(t, "etcd/patch-day", c.subnet, c.Preview())
	c.machines.SickFromNow("etcd-2") // so that the gate waits, and nothing else is in flight
	c.UpKilled(updates("EtcdMember", "main-etcd-2"))
	c.machines.Sick("etcd-2", false)
	c.Unlock()
	resumed := order(c.Up())
	assert.NotContains(t, resumed, "update Domain etcd-1-domain", "what is done stays")
	assert.Contains(t, resumed, "update Domain etcd-3-domain")
	assert.Equal(t, before, c.machineID("etcd-1"), "no machine is rebuilt")
	writer.stop(t)

	c.change(patched("2024-12-01"))
	assert.Contains(t, c.Preview().Diagnostics, "software.asOf is before 2025-02-02, which it was: packages never go back")
	assert.NotContains(t, c.Up().Stdout, "hands over the leadership", "nothing restarts")
	c.change(extra(""))
	assert.NotContains(t, c.Up().Stdout, "hands over the leadership", "nor without patch days")
	c.change(patched("2999-01-01"))
	assert.Contains(t, c.PreviewFails().Diagnostics, `software.asOf: must not be in the future, as is "2999-01-01"`)
}
