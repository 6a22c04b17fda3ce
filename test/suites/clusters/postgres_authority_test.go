package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDatabaseAuthorityReplaced has --replace name the key of the authority of PostgreSQL: the update refuses another one,
// and says how the cluster comes to it now that the key is gone.
func TestDatabaseAuthorityReplaced(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.Up()
	system, authority := d.Output("systemId"), d.Output("caCert")
	primary, replica := d.Outputs()["primary"].([]any)[0], d.Outputs()["replicas"].([]any)[0]
	d.ask(t, "CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS n", primary)
	refused := d.UpFails("--replace", "**::main-ca-key").Diagnostics
	assert.Contains(t, refused, "If the key that signed before is gone, as after --replace of it, set skipHealthChecks: true for one `pulumi up`")
	assert.Equal(t, "42", d.ask(t, "SELECT n FROM kept", primary), "the machines are as they were")

	d.change(func(o *databaseOptions) { o.haproxy = "      skipHealthChecks: true\n" })
	d.Up()
	d.change(func(o *databaseOptions) { o.haproxy = "" })
	d.Up()
	assert.True(t, d.Up().Unchanged())
	assert.NotEqual(t, authority, d.Output("caCert"))
	assert.Equal(t, system, d.Output("systemId"))
	d.ask(t, "INSERT INTO kept VALUES (43)", primary)
	assert.Equal(t, "2", d.ask(t, "SELECT count(*) FROM pg_stat_replication", primary), "all stream again")
	assert.Equal(t, "85", d.ask(t, "SELECT sum(n) FROM kept", replica))
}
