package clusters

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDatabaseUpgradeWhileOff has a node be off while the others upgrade, by an update that names nothing but the gate, and
// while that is finished: it is named, and copies the data when it comes.
func TestDatabaseUpgradeWhileOff(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	m := newMajors(t)
	m.change(func(o *databaseOptions) { o.limit = "120s" })
	m.upgrade(checkOnly)
	m.Up()
	off := m.another(m.leader(t), m.standby(t))
	m.machines.Off(off)
	time.Sleep(35 * time.Second) // it is a member no more
	m.upgrade(run)
	assert.Contains(t, m.Up(targets("main-upgraded")...).Diagnostics, fmt.Sprintf("PostgreSQL is upgraded from %s to %s", m.from, m.to))
	now := m.marker(t)
	assert.Equal(t, "done", now.Stage)
	assert.NotContains(t, now.Joined, off)

	// By the program the nodes were only asked for a check: they know better.
	m.only(m.from)
	m.refuses(t, fmt.Sprintf("upgrade: must not be taken out yet: the upgrade from %s to %s is done", m.from, m.to))
	m.upgrade(finish)
	assert.Contains(t, m.Up().Diagnostics, "upgrade.finish: "+off+": has not run since the data are of the other version. It copies the data when it comes, as long as upgrade is in the program: do not take that out before")
	assert.Equal(t, "finished", m.marker(t).Stage)
	for _, other := range []string{run, revert} {
		m.upgrade(other)
		m.refuses(t, fmt.Sprintf("the data of PostgreSQL %s are deleted", m.from))
	}
	m.only(m.to)
	assert.Contains(t, m.Preview().Diagnostics, "upgrade is taken out: "+off+": has not run since the data are of the other version. Its new configuration is refused there")
	m.upgrade(finish)

	m.machines.Mend(off)
	require.Eventually(t, func() bool { return m.marker(t).Joined[off] }, 2*time.Minute, time.Second)
	m.Up()
	m.is(t, "finish", "finished")
	m.only(m.to)
	m.Up()
	m.is(t, "finish", "finished")
}
