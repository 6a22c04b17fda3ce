package bluegreen

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

const (
	majorVersion = "SELECT current_setting('server_version_num')::int / 10000"
)

// Oldest is the first version that applies changes as the owner of a table: before, what owners have in their tables is run by
// a superuser. Tests have an earlier one.
var Oldest = 16

// Found is what was found at a source.
type Found struct {
	Problems []string // why it cannot be copied
	Notes    []string // what does not come along, or is to be known
	Bytes    int64
	Version  int // the major one
}

// Check looks at the source, and changes nothing.
func (p Pair) Check(ctx context.Context) (f Found, err error) {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	source, done, err := in(ctx, p.Source, maintenance)
	if err != nil {
		return f, err
	}
	defer done()
	names, err := databases(ctx, source)
	if err != nil {
		return f, err
	}
	if f.Version, err = value[int](ctx, source, majorVersion); err != nil {
		return f, err
	}
	if err := f.server(ctx, source, names); err != nil {
		return f, err
	}
	for _, name := range names {
		if err := p.checkDatabase(ctx, name, &f); err != nil {
			return f, fmt.Errorf("database %s: %w", name, err)
		}
	}
	return f, nil
}

// server looks at what all databases share.
func (f *Found) server(ctx context.Context, source *pgx.Conn, names []string) error {
	type settings struct {
		Level                    string
		Slots, Senders, WALSends int
		Used                     int
		Bytes                    int64
	}
	all, err := each[settings](ctx, source, `SELECT current_setting('wal_level'), current_setting('max_replication_slots')::int, current_setting('max_wal_senders')::int,
(SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'walsender' AND application_name NOT LIKE '`+mark+`%'),
(SELECT count(*)::int FROM pg_replication_slots WHERE slot_name NOT LIKE '`+mark+`%' AND NOT temporary),
(SELECT sum(pg_database_size(oid))::bigint FROM pg_database WHERE datallowconn AND datconnlimit <> -2)`)
	if err != nil {
		return err
	}
	s, needs := all[0], len(names)+1 // one for each, and one to copy a table
	f.Bytes = s.Bytes
	if s.Level != "logical" {
		f.Problems = append(f.Problems, fmt.Sprintf("wal_level is %s: give the source postgres.params: {wal_level: logical}, and have its PostgreSQL restarted (applyPendingRestarts: true, or `patronictl restart --pending`)", s.Level))
	}
	for _, has := range []struct {
		what       string
		most, used int
	}{{"max_replication_slots", s.Slots, s.Used}, {"max_wal_senders", s.Senders, s.WALSends}} {
		if has.most-has.used < needs {
			f.Problems = append(f.Problems, fmt.Sprintf("%s is %d, of which %d are in use, and %d are needed (one for each database, and one): give the source postgres.params: {%s: \"%d\"}, and have its PostgreSQL restarted",
				has.what, has.most, has.used, needs, has.what, has.used+needs+2))
		}
	}
	for _, look := range []struct{ query, line string }{
		{"SELECT coalesce('of role ' || r.rolname, '') || coalesce(' in database ' || d.datname, '') FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase " +
			"WHERE 'default_transaction_read_only=off' = ANY (s.setconfig) ORDER BY 1", "the setting default_transaction_read_only=off %s gets around the refusal of writes: RESET it"},
		{"SELECT datname::text FROM pg_database WHERE datconnlimit = -2 ORDER BY 1", "database %s is what a DROP DATABASE that was cut short has left: DROP DATABASE it once more"},
		{"SELECT gid || ' in ' || database FROM pg_prepared_xacts ORDER BY 1", "the prepared transaction %s: commit it, or roll it back"},
		{"SELECT datname::text FROM pg_database WHERE NOT datallowconn AND datname <> 'template0' ORDER BY 1", "database %s takes no connections, and cannot be copied: let it, or drop it"},
	} {
		if err := found(ctx, source, look.query, look.line, &f.Problems); err != nil {
			return err
		}
	}
	for _, look := range []struct{ query, line string }{
		{"SELECT slot_name::text FROM pg_replication_slots WHERE slot_type = 'logical' AND slot_name NOT LIKE '" + mark + "%' AND slot_name NOT LIKE 'pg_%_sync_%' ORDER BY 1", "the logical replication slot %s stays at the source: who reads it begins anew at the new cluster"},
		{"SELECT spcname::text FROM pg_tablespace WHERE spcname !~ '^pg_' ORDER BY 1", "what lies in tablespace %s comes to lie in that of the database"},
	} {
		if err := found(ctx, source, look.query, look.line, &f.Notes); err != nil {
			return err
		}
	}
	return nil
}

// inDatabase are what keeps a database from being copied: each query, and what is said of what it finds.
var inDatabase = []struct{ query, line string }{
	{
		`SELECT string_agg(t.is, ', ' ORDER BY t.is) FROM (SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS is FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND ` + users + ` AND ` + copiedAsRows + ` AND CASE c.relreplident WHEN 'f' THEN false WHEN 'n' THEN true
  WHEN 'd' THEN NOT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisprimary AND indimmediate AND indisvalid) ELSE NOT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisreplident) END) t HAVING count(*) > 0`,
		"tables without a primary key, whose changed rows nobody could tell: %s: give each one that is not deferrable, or ALTER TABLE ... REPLICA IDENTITY FULL, which is slow where much is changed",
	},
	{
		`SELECT string_agg(DISTINCT quote_ident(n.nspname) || '.' || quote_ident(c.relname), ', ') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind = 'r' AND c.relreplident = 'f' AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = ANY ('{json,xml,point,line,lseg,box,path,polygon,circle}'::regtype[]) AND ` + users + ` HAVING count(*) > 0`,
		"tables with REPLICA IDENTITY FULL and columns of types that cannot be compared, as json: %s: give each a primary key",
	},
	{
		`SELECT o.conrelid::regclass || ': ' || o.conname FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid WHERE o.contype = 'f' AND c.relpersistence <> 'p' ORDER BY 1`,
		"the foreign key %s of an unlogged table would stop the copy where the table that it references is truncated: drop it",
	},
	{
		`SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relforcerowsecurity AND ` + users + ` ORDER BY 1`,
		"the table %s has FORCE ROW LEVEL SECURITY, with which it cannot be copied: ALTER TABLE ... NO FORCE ROW LEVEL SECURITY until the cutover",
	},
	{
		`SELECT count(*)::text FROM pg_largeobject_metadata HAVING count(*) > 0`,
		"%s large objects, which logical replication does not carry: keep them as bytea, and remove them (lo_unlink), or upgrade in place (upgrade)",
	},
	{
		`SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) || ': ' || t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND t.tgenabled IN ('A', 'R') AND ` + users + ` ORDER BY 1`,
		"the trigger %s is enabled for replication too, and would do again what it has done at the source: ALTER TABLE ... ENABLE TRIGGER",
	},
	{ // what counts is said last: by postgresql.conf, for all, for a database, for a role, for a role in a database
		`SELECT name || ' = ' || value || ', which counts for the copy too: ALTER ROLE ' || quote_ident(current_user) || ' IN DATABASE ' || quote_ident(current_database()) || ' SET ' || name || ' = ' || CASE name WHEN 'role' THEN 'none' ELSE '0' END
FROM (SELECT DISTINCT ON (name) name, value FROM (
  SELECT split_part(c, '=', 1) AS name, substr(c, strpos(c, '=') + 1) AS value, (s.setrole <> 0)::int * 2 + (s.setdatabase <> 0)::int AS rank FROM pg_db_role_setting s, unnest(s.setconfig) c
    WHERE s.setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = current_user)) AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  UNION ALL SELECT name, setting, -1 FROM pg_file_settings WHERE applied) AS settings WHERE name IN ('role', 'statement_timeout', 'transaction_timeout') ORDER BY name, rank DESC) AS last WHERE value !~* '^(0[a-z]*|none)$'`,
		"the setting %s", // logical replication has no settings of its own for how it asks the source
	},
}

// notedOf is what does not come along with a database.
var notedOf = []struct{ query, line string }{
	{`SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence = 'u' AND ` + users + ` ORDER BY 1`, "the unlogged table %s comes empty"},
	{`SELECT quote_ident(pubname) FROM pg_publication WHERE pubname <> '` + mark + `' ORDER BY 1`, "the publication %s does not come along: create it at the new cluster after the cutover"},
	{
		`SELECT quote_ident(subname) FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid WHERE d.datname = current_database() ORDER BY 1`,
		"the subscription %s does not come along, nor, what it brings after the cutover: create it at the new cluster then",
	},
}

func (p Pair) checkDatabase(ctx context.Context, database string, f *Found) error {
	source, done, err := in(ctx, p.Source, database)
	if err != nil {
		return err
	}
	defer done()
	var problems, notes []string
	for _, look := range inDatabase {
		if err := found(ctx, source, look.query, look.line, &problems); err != nil {
			return err
		}
	}
	for _, look := range notedOf {
		if err := found(ctx, source, look.query, look.line, &notes); err != nil {
			return err
		}
	}
	f.Problems, f.Notes = append(f.Problems, about(database, problems)...), append(f.Notes, about(database, notes)...)
	return nil
}

// found adds a line for each row of a query.
func found(ctx context.Context, conn *pgx.Conn, query, line string, lines *[]string) error {
	rows, err := values[string](ctx, conn, query)
	for _, row := range rows {
		*lines = append(*lines, fmt.Sprintf(line, row))
	}
	return err
}

// fits returns what keeps the target from being filled: its version, its limits, and extensions that it has none of.
func (p Pair) fits(ctx context.Context, source, target *pgx.Conn, names []string) (problems []string, err error) {
	from, err := value[int](ctx, source, majorVersion)
	if err != nil {
		return nil, err
	}
	to, err := value[int](ctx, target, majorVersion)
	if err != nil {
		return nil, err
	}
	if to < Oldest {
		problems = append(problems, fmt.Sprintf("this cluster has PostgreSQL %d, and must have %d or later, which it does not get any more: destroy it, and make it with another postgres.version", to, Oldest))
	}
	if from > to {
		problems = append(problems, fmt.Sprintf("the source has PostgreSQL %d, and this cluster %d, which it keeps: destroy it, and make it with postgres.version: \"%d\" or later", from, to, from))
	}
	for setting, needs := range map[string]int{"max_logical_replication_workers": len(names) + 1, "max_worker_processes": len(names) + 4, "max_replication_slots": len(names) + 1} {
		has, err := value[int](ctx, target, "SELECT current_setting($1)::int", setting)
		if err != nil {
			return nil, err
		}
		if has < needs {
			problems = append(problems, fmt.Sprintf("%s of this cluster is %d, and %d are needed for %d databases: give it postgres.params: {%s: \"%d\"}, and have its PostgreSQL restarted (applyPendingRestarts: true, or `patronictl restart --pending`)",
				setting, has, needs, len(names), setting, needs+2))
		}
	}
	unsafe, err := value[bool](ctx, target, "SELECT current_setting('synchronous_standby_names') = '' AND EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming' AND application_name !~ '^pg_basebackup')")
	if err != nil {
		return nil, err
	}
	if unsafe {
		problems = append(problems, "this cluster replicates asynchronously: a failover while it is filled would lose rows, and nobody would know. Leave patroni.isSynchronous on until the cutover")
	}
	available, err := values[string](ctx, target, "SELECT name::text FROM pg_available_extensions")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		lacks, err := p.lacks(ctx, name, available)
		if err != nil {
			return nil, err
		}
		if len(lacks) > 0 {
			problems = append(problems, fmt.Sprintf("database %s: PostgreSQL %d of this cluster has no extension %s: give postgres.extensions, or drop it at the source", name, to, strings.Join(lacks, ", ")))
		}
	}
	return problems, nil
}

func (p Pair) lacks(ctx context.Context, database string, available []string) ([]string, error) {
	source, done, err := in(ctx, p.Source, database)
	if err != nil {
		return nil, err
	}
	defer done()
	return values[string](ctx, source, "SELECT extname::text FROM pg_extension WHERE extname <> ALL ($1) ORDER BY 1", available)
}
