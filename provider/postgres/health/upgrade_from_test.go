package health

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/bluegreen"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// TestUpgradeFrom has gates look at a real source, have a target filled from it, and cut over when the program says so: a
// preview does nothing of it, and without the source nothing is cut over. One that goes before that clears away what it has made.
func TestUpgradeFrom(t *testing.T) {
	bluegreen.Oldest = 15 // of PostgreSQL here
	source, target := localpostgres.Start(t, "wal_level=logical"), localpostgres.Newest(t)
	identity = func() (ca, cert, key string) {
		return source.Dir + "/server.crt", source.Dir + "/none.crt", source.Dir + "/none.key"
	}
	password, no := localpostgres.Password, false
	reach := func(s *localpostgres.Server, endpoint string) admin.Connection {
		return admin.Connection{Endpoints: []string{endpoint}, CACert: s.CACert(), Password: &password}
	}
	of := UpgradeFrom{Source: reach(source, source.Endpoint()), Target: reach(target, target.Endpoint())}
	source.SQL("postgres", "CREATE TABLE numbers (n serial)", "INSERT INTO numbers SELECT FROM generate_series(1, 3)")
	fills := HealthArgs{UpgradeFrom: &of, SkipHealthChecks: &no}
	plans := HealthArgs{UpgradeFrom: &of, SkipHealthChecks: &no, Plan: &Plan{}}
	certificate := source.CACert() // any: it is known
	known := of
	secret, err := os.ReadFile(source.Dir + "/server.key")
	require.NoError(t, err)
	key := string(secret)
	known.Source.ClientCert, known.Source.ClientKey = &certificate, &key
	assert.False(t, of.known(), "a preview may not know all")
	assert.True(t, known.known())
	require.NoError(t, plans.comesFrom(t.Context(), true))

	require.ErrorContains(t, fills.comesFrom(t.Context(), false), "this cluster cannot be filled from its source yet:\n- database postgres: tables without a primary key")
	require.NoError(t, fills.comesFrom(t.Context(), true), "a preview does nothing")
	source.SQL("postgres", "ALTER TABLE numbers ADD PRIMARY KEY (n)")
	older := plans
	before := "14"
	older.Plan = &Plan{Version: &before}
	plans.UpgradeFrom, older.UpgradeFrom = &known, &known
	require.ErrorContains(t, older.comesFrom(t.Context(), true), "and this cluster's postgres.version is 14: give 15 or later")
	require.NoError(t, fills.comesFrom(t.Context(), false))
	require.NoError(t, plans.looksAgain(t.Context(), false))
	source.SQL("postgres", "CREATE TABLE keyless (n int)")
	assert.Regexp(t, "(?s)table public.keyless: only at the source.*tables without a primary key", lags(t.Context(), of.pair()))
	require.NoError(t, plans.looksAgain(t.Context(), false), "what has come since is told")
	source.SQL("postgres", "DROP TABLE keyless")
	assert.Empty(t, lags(t.Context(), of.pair()))
	assert.Equal(t, "3", target.SQL("postgres", "SELECT count(*) FROM numbers"))
	refuses := func(s *localpostgres.Server) string {
		return s.SQL("postgres", "SELECT count(*) FROM pg_db_role_setting WHERE setrole = 0 AND setdatabase = 0") + s.SQL("postgres", "SHOW default_transaction_read_only")
	}
	require.Equal(t, "1off", refuses(target), "the superuser may write")

	gone := of
	gone.Source.Endpoints = []string{"127.0.0.1:1"}
	without := HealthArgs{SkipHealthChecks: &no}
	require.NoError(t, without.cutOver(t.Context(), of, true))
	require.NoError(t, without.cutOver(t.Context(), gone, true))
	require.Equal(t, "1off", refuses(target), "a preview does nothing")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	require.ErrorContains(t, without.cutOver(ctx, gone, false), "nothing was cut over: timed out after")
	require.Equal(t, "1off", refuses(target))

	deleted := func(s HealthState) {
		t.Helper()
		_, err := Health{}.Delete(t.Context(), infer.DeleteRequest[HealthState]{State: s})
		require.NoError(t, err)
	}
	const left = "SELECT (SELECT count(*) FROM pg_replication_slots) + (SELECT count(*) FROM pg_publication)"
	deleted(HealthState{UpgradeFrom: &of})
	require.Equal(t, "2", source.SQL("postgres", left), "the gate of the plan clears nothing away")

	require.NoError(t, without.cutOver(t.Context(), of, false))
	assert.Equal(t, "0off", refuses(target))
	assert.Equal(t, "0on", refuses(source))
	assert.Equal(t, "0", source.SQL("postgres", left))
	assert.Equal(t, "4", target.SQL("postgres", "INSERT INTO numbers DEFAULT VALUES RETURNING n"))
	require.NoError(t, without.cutOver(t.Context(), of, false), "an update that was killed at the end has it done again")
	require.ErrorContains(t, fills.comesFrom(t.Context(), false), "this cluster must be a new one, and has tables of its own in database postgres: public.numbers")

	source.SQL("postgres", "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
	another := localpostgres.Newest(t)
	of.Target = reach(another, another.Endpoint())
	require.NoError(t, fills.comesFrom(t.Context(), false))
	deleted(HealthState{UpgradeFrom: &of, Triggers: map[string]string{"postgres-1": "m1"}})
	assert.Equal(t, "0", source.SQL("postgres", left))
	assert.Equal(t, "off", source.SQL("postgres", "SHOW default_transaction_read_only"))

	assert.Contains(t, fills.upgradeFromAdded(HealthArgs{}), "must not be given to a cluster that was made without it")
	assert.Empty(t, fills.upgradeFromAdded(HealthArgs{UpgradeFrom: &gone}))
	assert.Empty(t, without.upgradeFromAdded(HealthArgs{UpgradeFrom: &gone}))
}
