package admin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/mortal"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// TestSorts finds what is sorted in another way than when indexes were made, makes these anew while others write, also after
// it was cut off, and then finds nothing.
func TestSorts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	password := localpostgres.Password
	c := admin.Connection{Endpoints: []string{w.pg.Endpoint()}, CACert: w.pg.CACert(), Password: &password}
	w.pg.SQL("postgres", `CREATE DATABASE "Shop's" TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`)
	w.pg.SQL("Shop's", "CREATE SCHEMA \"a b\"", `CREATE COLLATION "a b".german (provider = icu, locale = 'de')`,
		`CREATE TABLE goods (name text PRIMARY KEY, other text COLLATE "a b".german, plain text COLLATE "C", n int, during tstzrange, EXCLUDE USING gist (during WITH &&) WHERE (name <> ''))`,
		`CREATE TABLE more (x text COLLATE "fr-x-icu")`,
		"CREATE INDEX by_name ON goods (name)", "CREATE INDEX by_other ON goods (other)", "CREATE INDEX by_plain ON goods (plain)", "CREATE INDEX by_n ON goods (n)",
		"CREATE TYPE pair AS (a int, b text)", "CREATE TABLE odd (j jsonb, p pair, m tstzrange[])", "CREATE INDEX by_json ON odd (j)", "CREATE INDEX by_pair ON odd (p)", "CREATE INDEX by_many ON odd (m)",
		"CREATE TABLE parts (x text) PARTITION BY RANGE (x)", "CREATE MATERIALIZED VIEW seen AS SELECT 1 AS one",
		"ALTER DATABASE \"Shop's\" SET statement_timeout = 60000", "ALTER DATABASE \"Shop's\" SET search_path = evil, pg_catalog, public", "CREATE SCHEMA evil",
		"CREATE FUNCTION evil.pg_collation_actual_version(oid) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''runs as %'', current_user; END'",
		`CREATE INDEX "by lower" ON goods (lower(name))`, "INSERT INTO goods VALUES ('a', 'b', 'c', 1)")
	all, err := c.Sorts(t.Context())
	require.NoError(t, err)
	assert.Empty(t, all)

	files := func(name string) string { return w.pg.SQL("Shop's", "SELECT pg_relation_filenode('"+name+"')") }
	before := map[string]string{}
	for _, name := range []string{"by_json", "by_pair", "by_many", "by_name", "by_other", "goods_pkey", `"by lower"`, "goods_during_excl", "by_plain", "by_n"} {
		before[name] = files(name)
	}

	w.pg.SQL("postgres", "UPDATE pg_database SET datcollversion = '1.5' WHERE datname = 'Shop''s'")
	w.pg.SQL("Shop's", "CREATE INDEX by_n_ccnew ON goods (n)", "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'by_n_ccnew'::regclass",
		"UPDATE pg_collation SET collversion = '1.4' WHERE collname IN ('german', 'en-x-icu', 'fr-x-icu')")
	all, err = c.Sorts(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Regexp(t, `^database Shop's \(1\.5, now \S+\) with collation "a b"\.german \(1\.4, now \S+\), collation "fr-x-icu" \(1\.4, now \S+\)$`, all[0].String())

	var said []string
	require.NoError(t, c.Reindex(t.Context(), all[0].Database, func(text string) { said = append(said, text) }))
	assert.Len(t, said, 10, said)
	assert.Contains(t, said[9], "left as they are, and sorted as before where they depend on it: the materialized view public.seen, the partitions of public.parts, and CHECK constraints")
	assert.Empty(t, w.pg.SQL("Shop's", "SELECT 1 FROM pg_collation WHERE collversion <> pg_catalog.pg_collation_actual_version(oid)"), "also what nobody uses")
	for name, file := range before {
		if name == "by_plain" || name == "by_n" {
			assert.Equal(t, file, files(name), name)
		} else {
			assert.NotEqual(t, file, files(name), name)
		}
	}
	assert.Empty(t, w.pg.SQL("Shop's", "SELECT 1 FROM pg_class WHERE relname = 'by_n_ccnew'"), "what a former one left")
	all, err = c.Sorts(t.Context())
	require.NoError(t, err)
	assert.Empty(t, all)
}

// TestReindexFails has rows that the former order took for different ones: nothing is noted.
func TestReindexFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	password := localpostgres.Password
	c := admin.Connection{Endpoints: []string{w.pg.Endpoint()}, CACert: w.pg.CACert(), Password: &password}
	w.pg.SQL("postgres", "CREATE DATABASE shop TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'")
	w.pg.SQL("shop", "CREATE TABLE goods (name text)", "INSERT INTO goods VALUES ('secret-value'), ('secret-value')", "CREATE INDEX by_name ON goods (name)",
		"UPDATE pg_index SET indisunique = true WHERE indexrelid = 'by_name'::regclass")
	w.pg.SQL("postgres", "UPDATE pg_database SET datcollversion = '1.5' WHERE datname = 'shop'")
	for range 2 {
		all, err := c.Sorts(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 1)
		err = c.Reindex(t.Context(), all[0].Database, func(string) {})
		require.ErrorContains(t, err, "index public.by_name: ")
		assert.NotContains(t, err.Error(), "secret-value")
	}
}

// TestReindexWaits has others in the way for longer than a table may be locked by it: it goes on when they are gone, and leaves
// nothing.
func TestReindexWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	password := localpostgres.Password
	c := admin.Connection{Endpoints: []string{w.pg.Endpoint()}, CACert: w.pg.CACert(), Password: &password}
	w.pg.SQL("postgres", "CREATE ROLE app LOGIN PASSWORD '"+another+"'", `CREATE TABLE held (name text COLLATE "de-x-icu", during tstzrange, EXCLUDE USING gist (during WITH &&) WHERE (name <> ''))`,
		"CREATE INDEX by_name ON held (name)", "GRANT SELECT ON held TO app")
	files := "SELECT string_agg(relfilenode::text, ' ' ORDER BY relname) FROM pg_class WHERE relname IN ('by_name', 'held_during_excl')"
	before := w.pg.SQL("postgres", files)
	session := w.session("app", another)
	_, err := session.Exec(t.Context(), "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM held")
	require.NoError(t, err)
	go func() {
		time.Sleep(12 * time.Second) // two tries of 5
		_, _ = session.Exec(context.WithoutCancel(t.Context()), "COMMIT")
	}()
	require.NoError(t, c.Reindex(t.Context(), "postgres", func(string) {}))
	for _, file := range strings.Fields(before) {
		assert.NotContains(t, w.pg.SQL("postgres", files), file)
	}
	assert.Equal(t, "0", w.pg.SQL("postgres", "SELECT count(*) FROM pg_index WHERE NOT indisvalid"))
}

// TestReindexKilledAnywhere kills the updates that make indexes anew, each one somewhat later than the one before: the last one
// has made all of them, and nothing is left of the others.
func TestReindexKilledAnywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	password := localpostgres.Password
	c := admin.Connection{Endpoints: []string{w.pg.Endpoint()}, CACert: w.pg.CACert(), Password: &password}
	w.pg.SQL("postgres", "CREATE DATABASE shop TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'")
	w.pg.SQL("shop", "CREATE TABLE goods (name text PRIMARY KEY, other text)", "CREATE INDEX by_other ON goods (other)",
		"INSERT INTO goods SELECT md5(n::text), n FROM generate_series(1, 20000) n")
	const files = "SELECT string_agg(pg_relation_filenode(oid)::text, ' ' ORDER BY relname) FROM pg_class WHERE relname IN ('goods_pkey', 'by_other')"
	w.pg.SQL("postgres", "UPDATE pg_database SET datcollversion = '1.5' WHERE datname = 'shop'")
	before := strings.Fields(w.pg.SQL("shop", files))
	killed := mortal.UntilDone(t, 5, func(ctx context.Context) error {
		all, err := c.Sorts(ctx)
		if err != nil || len(all) == 0 {
			return err
		}
		return c.Reindex(ctx, all[0].Database, func(string) {})
	})
	t.Logf("%d updates were killed", killed)
	assert.Greater(t, killed, 10)
	for _, file := range strings.Fields(w.pg.SQL("shop", files)) {
		assert.NotContains(t, before, file)
	}
	assert.Equal(t, "0", w.pg.SQL("shop", "SELECT count(*) FROM pg_index WHERE NOT indisvalid"))
	all, err := c.Sorts(t.Context())
	require.NoError(t, err)
	assert.Empty(t, all)
}
