package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDatabaseHandsOver promotes a standby while its source runs and takes writes: the source refuses them first, and all that
// it acknowledged is at the standby. A promotion that skips health checks asks the source for nothing.
func TestDatabaseHandsOver(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	p := newPlaces(t)
	a, b := p.source, p.standby
	b.Up()
	sourceWrites := a.Outputs()["primary"].([]any)[0]

	// A promotion that failed has left the source refusing writes: each update and preview says so until it takes them again.
	const left = "refuses writes (default_transaction_read_only), as after a promotion that did not come to its end"
	fenced := func(verb string) {
		a.ask(t, "ALTER SYSTEM "+verb, sourceWrites)
		a.ask(t, "SELECT pg_reload_conf()", sourceWrites)
	}
	fenced("SET default_transaction_read_only = on")
	unchanged := b.Up()
	assert.True(t, unchanged.Unchanged())
	assert.Contains(t, unchanged.Diagnostics, "the source, at "+p.link.Endpoint+", "+left)
	assert.Contains(t, b.Preview().Diagnostics, left)
	fenced("RESET default_transaction_read_only")
	assert.NotContains(t, b.Preview().Diagnostics, left)
	a.ask(t, "ALTER DATABASE template1 SET default_transaction_read_only = off", sourceWrites)
	writes := a.write(t)

	b.change(func(o *databaseOptions) { o.haproxy = p.ca })
	assert.Contains(t, b.Preview().Diagnostics, "run there first: ALTER DATABASE template1 RESET default_transaction_read_only")
	a.ask(t, "ALTER DATABASE template1 RESET default_transaction_read_only", sourceWrites)
	preview := b.Preview().Diagnostics
	assert.Contains(t, preview, "The source answers at "+p.link.Endpoint+": before, this update has it refuse writes")
	assert.Contains(t, preview, " bytes behind.")
	a.ask(t, "CREATE TABLE later (n int)", sourceWrites)
	told := b.Up().Diagnostics
	assert.Contains(t, told, "the source, at "+p.link.Endpoint+", refuses writes from now on, and has WAL up to ")
	assert.Contains(t, told, "accepts writes")
	assert.NotContains(t, told, "lacks")
	writes.stop(t)
	primary := b.Outputs()["primary"].([]any)[0]
	b.hasRows(t, writes.acknowledged, primary)
	b.ask(t, "INSERT INTO later VALUES (1)", primary)
	_, err := a.superuser(t, sourceWrites).Query(t.Context(), "INSERT INTO later VALUES (1)")
	require.ErrorContains(t, err, "read-only transaction")
	assert.NotContains(t, a.Up().Diagnostics, "error", "its own updates go on")
	assert.True(t, b.Up().Unchanged())
}
