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
	writes := a.write(t)

	b.change(func(o *databaseOptions) { o.haproxy = p.ca })
	preview := b.Preview().Diagnostics
	assert.Contains(t, preview, "The source answers at "+p.link.Endpoint+": before, this update has it refuse writes")
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
