package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDatabaseExtensions has PostgreSQL load what an extension needs, beside what parameters name, and
// databases have it.
func TestDatabaseExtensions(t *testing.T) { //nolint:paralleltest // two databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.machines.TakeSettings()
	d.change(func(o *databaseOptions) { o.params = "shared_preload_libraries: auto_explain" })
	d.Up()
	d.change(func(o *databaseOptions) { o.postgres = ", extensions: [pg_stat_statements]" })
	assert.Contains(t, d.Preview().Diagnostics, "PostgreSQL must be restarted for extensions, after the update")
	d.Up()
	d.have(t, "shared_preload_libraries", "auto_explain")

	d.change(func(o *databaseOptions) {
		o.postgres = ", extensions: [pg_stat_statements, pg_trgm]"
		o.haproxy = "      applyPendingRestarts: true\n"
	})
	assert.Contains(t, d.Preview().Diagnostics, "then PostgreSQL restarts where that is pending", "pg_trgm needs none")
	d.Up()
	d.have(t, "shared_preload_libraries", "auto_explain,pg_stat_statements")
	leader := d.at(d.leader(t))
	for _, name := range []string{"pg_stat_statements", "pg_trgm"} {
		d.ask(t, "CREATE EXTENSION IF NOT EXISTS "+name, leader)
	}
	for _, node := range d.options.nodes {
		assert.Equal(t, "t", d.ask(t, "SELECT count(*) > 0 AND similarity('word', 'words') > 0.5 FROM pg_stat_statements", d.at(node)), node)
	}
	assert.True(t, d.Up().Unchanged())

	d.change(func(o *databaseOptions) { o.postgres = "" })
	assert.Contains(t, d.Preview().Diagnostics, "then PostgreSQL restarts for extensions, on one node after the other")
	d.Up()
	d.have(t, "shared_preload_libraries", "auto_explain")
}
