package clusters

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestDatabaseUpgrade has a cluster go through the days of an upgrade on which something goes wrong, or an operator does
// what is not foreseen. A day begins where the last one ended.
func TestDatabaseUpgrade(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	m := newMajors(t)
	for _, day := range []struct {
		name string
		is   func(*testing.T)
	}{
		{"a check finds something", m.checkRefuses},
		{"a check finds nothing", m.checked},
		{"versions are not known in a preview", m.unknown},
		{"parts of it are named", m.targeted},
		{"updates end while nodes upgrade", m.cutShort},
		{"it is taken out too early", m.takenOutEarly},
		{"machines are replaced", m.replaced},
		{"it is reverted", m.reverted},
	} {
		if !t.Run(day.name, day.is) {
			return
		}
	}
}

// checkRefuses has the update fail with what is in the way, the upgrade neither be finished nor reverted, and the program
// be put back: nothing restarts.
func (m *majors) checkRefuses(t *testing.T) {
	starts, primary := m.starts(), m.Outputs()["primary"].([]any)[0]
	m.ask(t, "CREATE TABLE IF NOT EXISTS unfit (f regproc)", primary)
	m.upgrade(run)
	assert.Contains(t, m.UpFails().Diagnostics, fmt.Sprintf("PostgreSQL %s cannot be upgraded to %s yet; it runs as before:\n- database postgres: the column public.unfit.f:", m.from, m.to))
	m.upgrade(finish)
	m.refuses(t, m.nothingToFinish())
	m.upgrade(revert)
	assert.Contains(t, m.Up().Diagnostics, fmt.Sprintf("no upgrade from %s to %s was made: there is nothing to go back from", m.from, m.to))
	m.only(m.from)
	m.Up()
	m.is(t, "run", "refused")
	assert.Equal(t, starts, m.starts())
	m.ask(t, "DROP TABLE IF EXISTS unfit", primary)
}

func (m *majors) checked(t *testing.T) {
	starts := m.starts()
	m.upgrade(checkOnly)
	assert.NotContains(t, m.Preview().Diagnostics, "restart: ")
	assert.NotContains(t, m.Up().Diagnostics, "restart: ")
	m.is(t, "check", "checked")
	assert.Equal(t, starts, m.starts())
	m.upgrade(finish)
	m.refuses(t, m.nothingToFinish())
}

// unknown has a preview be told of an upgrade by another resource's output.
func (m *majors) unknown(t *testing.T) {
	m.upgrade(run)
	program := strings.Replace(m.options.program(m.subnet), "resources:\n", "resources:\n  asked: {type: \"libvirt:Volume\", properties: {pool: default, name: a, size: 1}}\n", 1)
	for input, brings := range map[string]string{
		fmt.Sprintf("from: %q", m.from):  "upgrade: this update brings the data from PostgreSQL (not known yet) to (not known yet). It checks first",
		fmt.Sprintf("version: %q", m.to): fmt.Sprintf("upgrade: this update brings the data from PostgreSQL %s to (not known yet). It checks first", m.from),
	} {
		require.Contains(t, program, input)
		name, _, _ := strings.Cut(input, ":")
		m.Program(strings.Replace(program, input, name+`: "${asked.id}"`, 1))
		preview := m.Preview().Diagnostics
		assert.Contains(t, preview, brings)
		assert.Contains(t, preview, "postgres-1, postgres-2, postgres-3: the effect depends on values that are not known yet")
	}
}

// targeted has updates name parts of the cluster, none of which upgrades it: the program may still be put back.
func (m *majors) targeted(t *testing.T) {
	m.upgrade(run)
	for _, name := range []string{"main-postgres-1-domain", "main-postgres-1", "main-without-postgres-1", "main-plan", "main-healthy"} {
		m.Preview(targets(name)...)
		m.Up(targets(name)...)
		assert.Equal(t, "checked", m.marker(t).Stage, name)
	}
	m.only(m.from)
	assert.NotContains(t, m.Preview().Diagnostics, "restart: ")
}

// cutShort has updates be killed, interrupted and run out of time while all nodes are stopped, and others not fit what goes
// on there. One that does joins it.
func (m *majors) cutShort(t *testing.T) {
	m.machines.HoldUpgrade(true)
	m.upgrade(run)
	m.UpKilled(func(engine.Result) bool { return m.marker(t).Stage == "stopped" })
	m.Unlock()
	held := m.marker(t)
	require.Eventually(t, m.isSilent, time.Minute, time.Second, "replicas stop, too")
	m.Preview()
	begun := time.Now()
	m.UpInterrupted(func() bool { return time.Since(begun) > 15*time.Second })
	m.change(func(o *databaseOptions) { o.limit = "15s" })
	failed := m.UpFails("--refresh").Diagnostics
	assert.Contains(t, failed, "timed out after 15s: Patroni answers on no node")
	assert.Contains(t, failed, "The nodes go on by themselves: `journalctl -u quorum-upgrade -u patroni` on them. The next `pulumi up` continues here")
	m.only(m.from)
	m.refuses(t, fmt.Sprintf("upgrade: must not be taken out yet: no node says whether the upgrade from %s to %s was begun", m.from, m.to))
	for _, other := range []string{checkOnly, finish, revert} {
		m.upgrade(other)
		m.Preview()
		assert.Contains(t, m.UpFails().Diagnostics, fmt.Sprintf("upgrade: no node says how far the upgrade from %s to %s is", m.from, m.to), other)
	}
	assert.Equal(t, held.Stage, m.marker(t).Stage)
	m.upgrade(run)
	m.change(func(o *databaseOptions) { o.limit = "300s" })
	up, _ := m.TryUntil(10*time.Minute, updates("PostgresHealth", "main-upgraded"), func(engine.Running) { m.machines.HoldUpgrade(false) }, "up")
	require.NoError(t, up.Err, up.Stdout)
	now := m.marker(t)
	assert.Equal(t, held.ID, now.ID, "it was asked for once")
	assert.Contains(t, up.Diagnostics, fmt.Sprintf("PostgreSQL is upgraded from %s to %s. %s keeps the former data", m.from, m.to, now.Keeper))
	m.is(t, "run", "done", now.Keeper)
}

// takenOutEarly has the program be without the upgrade, or ask for another step, before it is ended.
func (m *majors) takenOutEarly(t *testing.T) {
	m.only(m.from)
	m.refuses(t, fmt.Sprintf("upgrade: must not be taken out yet: the upgrade from %s to %s is done. It is ended by upgrade.finish or upgrade.revert", m.from, m.to))
	m.only(m.to)
	m.refuses(t, fmt.Sprintf("must not be without upgrade yet: the upgrade from %s to %s is ended by upgrade.finish or upgrade.revert", m.from, m.to))
	m.upgrade(checkOnly)
	m.refuses(t, fmt.Sprintf("the data are of PostgreSQL %s already: there is nothing to check", m.to))
	m.upgrade(run)
	m.is(t, "run", "done", m.marker(t).Keeper)
}

// replaced has machines and volumes be made anew: the node that has the former data keeps them, and no preview says that the
// upgrade is made again.
func (m *majors) replaced(t *testing.T) {
	keeper, leader := m.marker(t).Keeper, m.leader(t)
	volume := func(name string) string { return m.urn(t, "Volume", name+"-data-volume") }
	machine := func(name string) string { return m.urn(t, "Domain", name+"-domain") }
	keeps := fmt.Sprintf("must keep %s, and its data volume, which has the data of PostgreSQL %s", keeper, m.from)
	assert.Contains(t, m.UpFails("--replace", volume(keeper)).Diagnostics, keeps)
	m.is(t, "run", "done", keeper)
	all := m.options.nodes
	m.change(func(o *databaseOptions) {
		o.nodes = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == keeper })
	})
	m.refuses(t, keeps)
	m.change(func(o *databaseOptions) { o.nodes = all })
	for _, urn := range []string{machine(keeper), volume(m.another(keeper, leader)), machine(leader)} {
		assert.NotContains(t, m.Preview("--replace", urn).Diagnostics, "upgrade: this update brings the data")
		m.Up("--replace", urn)
		m.is(t, "run", "done", keeper)
	}
	assert.True(t, m.Up("--refresh").Unchanged())
}

// reverted goes back, and then puts the program back: nothing restarts any more.
func (m *majors) reverted(t *testing.T) {
	m.upgrade(revert)
	assert.Contains(t, m.Preview().Diagnostics, "all that was written since is lost")
	assert.Contains(t, m.Up().Diagnostics, fmt.Sprintf("PostgreSQL is of version %[1]s again, with the data as they were before the upgrade. Set postgres.version back to %[1]s, and take upgrade out", m.from))
	m.is(t, "revert", "reverted")
	m.only(m.to)
	m.refuses(t, fmt.Sprintf("must be %s without upgrade", m.from))
	starts := m.starts()
	m.only(m.from)
	m.Up()
	m.is(t, "revert", "reverted")
	assert.Equal(t, starts, m.starts())
}
