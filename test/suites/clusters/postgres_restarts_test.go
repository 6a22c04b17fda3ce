package clusters

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestDatabaseRestarts has updates restart PostgreSQL where parameters wait for that.
func TestDatabaseRestarts(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.machines.TakeSettings()
	d.Up()
	leader := d.leader(t)
	d.change(func(o *databaseOptions) { o.params = "max_connections: 150" })
	assert.Contains(t, d.Up().Diagnostics, "PostgreSQL must be restarted for max_connections")
	d.have(t, "max_connections", "100")

	d.change(func(o *databaseOptions) { o.haproxy = "      applyPendingRestarts: true\n" })
	assert.Contains(t, d.Preview().Diagnostics, "then PostgreSQL restarts where that is pending")
	assert.Contains(t, databaseOrder(d.Up()), "create PostgresHealth restarted")
	d.have(t, "max_connections", "150")
	assert.NotEqual(t, leader, d.leader(t), "it handed over")
	assert.True(t, d.Up().Unchanged())

	leader = d.leader(t)
	d.change(func(o *databaseOptions) { o.params = "max_connections: 80" })
	assert.Contains(t, d.Preview().Diagnostics, leader+", the leader at the last check: without a switchover, since replicas may not have less of max_connections: clients connect again")
	lowered := d.Up()
	assert.Contains(t, databaseOrder(lowered), "update PostgresHealth restarted")
	d.have(t, "max_connections", "80")
	assert.Equal(t, leader, d.leader(t), "it was restarted where it is")
	assert.True(t, d.Up().Unchanged())
}

// TestDatabaseRestartFails has PostgreSQL not start with what is given: on one replica, and nowhere
// else. Another update is killed while it restarts.
func TestDatabaseRestartFails(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.machines.TakeSettings()
	d.change(func(o *databaseOptions) { o.haproxy = "      applyPendingRestarts: true\n" })
	d.Up()
	leader := d.leader(t)
	began := map[string]string{}
	for _, name := range d.options.nodes {
		began[name] = d.ask(t, "SELECT pg_postmaster_start_time()", d.at(name))
	}
	d.change(func(o *databaseOptions) { o.params = "huge_pages: 'on'" }) // which the machine has none of
	failed := d.UpFails().Diagnostics
	assert.Contains(t, failed, ": PostgreSQL does not start with what it waited for a restart for: POST /restart: 503 ")
	assert.Equal(t, leader, d.leader(t))
	var touched []string
	for _, name := range d.options.nodes {
		if !strings.Contains(failed, name+": PostgreSQL does not start") {
			assert.Equal(t, began[name], d.ask(t, "SELECT pg_postmaster_start_time()", d.at(name)), name)
			continue
		}
		touched = append(touched, name)
	}
	assert.Len(t, touched, 1)
	assert.NotContains(t, touched, leader)
	d.change(func(o *databaseOptions) { o.params = "work_mem: 8MB" })
	d.Up()
	d.have(t, "huge_pages", "try")
	assert.True(t, d.Up().Unchanged())

	d.change(func(o *databaseOptions) { o.params = "max_connections: 120" })
	d.UpKilled(updates("PostgresHealth", "main-restarted"))
	d.Unlock()
	time.Sleep(10 * time.Second) // what was begun ends
	d.Up()
	d.have(t, "max_connections", "120")
	assert.True(t, d.Up().Unchanged())
}

// have requires all nodes to run with a parameter.
func (d *database) have(t *testing.T, name, value string) {
	t.Helper()
	for _, node := range d.options.nodes {
		assert.Equal(t, value, d.ask(t, "SHOW "+name, d.at(node)), node)
	}
}

// at is where a node's PostgreSQL answers.
func (d *database) at(node string) string {
	return d.subnet + ".1" + strings.TrimPrefix(node, "postgres-") + ":5432"
}
