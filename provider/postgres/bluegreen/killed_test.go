package bluegreen_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/bluegreen"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/mortal"
)

// TestKilledAnywhere kills the updates that fill the target, and then those that cut over, each one somewhat later than the
// one before. The next one goes on, and no row is lost that the source has acknowledged meanwhile.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.SQL("postgres", "CREATE ROLE app LOGIN PASSWORD "+admin.Literal(appPassword), "CREATE DATABASE app OWNER app")
	w.source.SQL("app", "SET ROLE app; CREATE TABLE numbers (n bigserial PRIMARY KEY); CREATE MATERIALIZED VIEW sums AS SELECT count(*) FROM numbers")
	acknowledged, refused := 0, 0
	writes := func() {
		if _, err := w.source.As("app", appPassword, "app", "INSERT INTO numbers DEFAULT VALUES"); err == nil {
			acknowledged++
		} else {
			refused++
		}
	}
	follows := func(ctx context.Context) error {
		f := w.feed()
		for end := time.Now().Add(time.Minute); ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
			missing, err := f.Step(ctx)
			if err != nil || missing == "" {
				return err
			}
			if time.Now().After(end) {
				return fmt.Errorf("it is still missing: %s", missing)
			}
		}
		return ctx.Err()
	}
	filling := mortal.UntilDone(t, 5, func(ctx context.Context) error {
		writes()
		return follows(ctx)
	})
	assert.Zero(t, refused)

	cutting := mortal.UntilDone(t, 0, func(ctx context.Context) error {
		writes()
		begun, open, err := w.pair.Begun(t.Context())
		if err != nil || !begun {
			return err
		}
		if !open {
			if err := follows(t.Context()); err != nil {
				return err
			}
			c := bluegreen.CutOver{Feed: w.feed()}
			if err := c.Run(ctx); err != nil {
				return err
			}
		}
		_, err = w.pair.Clear(ctx)
		return err
	})
	t.Logf("%d updates were killed while it was filled, and %d in the cutover; %d rows were acknowledged, and %d refused", filling, cutting, acknowledged, refused)
	assert.Greater(t, min(filling, cutting), 10)
	assert.NotZero(t, refused, "the source refuses writes after the cutover")
	assert.Equal(t, fmt.Sprint(acknowledged), w.target.SQL("app", "SELECT count(*) FROM numbers"))
	_, err := w.target.As("app", appPassword, "app", "INSERT INTO numbers DEFAULT VALUES")
	require.NoError(t, err)
	const left = "SELECT (SELECT count(*) FROM pg_replication_slots), (SELECT count(*) FROM pg_publication), (SELECT count(*) FROM pg_subscription), to_regnamespace('quorum_upgrade')"
	for _, database := range []string{"app", "postgres"} {
		assert.Equal(t, "0|0|0|", w.source.SQL(database, left))
		assert.Equal(t, "0|0|0|", w.target.SQL(database, left))
	}
}
