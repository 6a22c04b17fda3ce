package bluegreen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// publish has the source send the rows of tables: of these, and not of all that there will be. Changes of one that comes
// later without a primary key would fail there.
func publish(ctx context.Context, source *pgx.Conn, all []string) error {
	exists, err := value[bool](ctx, source, "SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = '"+mark+"')")
	if err != nil {
		return err
	}
	if !exists {
		return do(ctx, source, "CREATE PUBLICATION "+mark+" FOR TABLE ONLY "+strings.Join(all, ", ONLY "))
	}
	has, err := values[string](ctx, source, "SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid AND p.pubname = '"+mark+"' JOIN pg_class c ON c.oid = r.prrelid JOIN pg_namespace n ON n.oid = c.relnamespace")
	if err != nil || sameNames(has, all) {
		return err
	}
	return do(ctx, source, "ALTER PUBLICATION "+mark+" SET TABLE ONLY "+strings.Join(all, ", ONLY "))
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// table is one of a database.
type table struct {
	Name string
	OID  int64
}

// published are the tables whose rows are sent, and which they are.
type published struct {
	names []string
	oids  []int64
}

// toPublish are those of a database, or why they cannot be sent: one without a primary key may have come since.
func toPublish(ctx context.Context, source *pgx.Conn, database string) (all published, err error) {
	var problems []string
	if err := found(ctx, source, inDatabase[0].query, inDatabase[0].line, &problems); err != nil {
		return all, err
	}
	if err := refused(about(database, problems)); err != nil {
		return all, err
	}
	return tablesOf(ctx, source)
}

// tablesOf are those of a database whose rows are copied.
func tablesOf(ctx context.Context, source *pgx.Conn) (all published, err error) {
	rows, err := each[table](ctx, source, tables)
	for _, t := range rows {
		all.names, all.oids = append(all.names, t.Name), append(all.oids, t.OID)
	}
	return all, err
}

// others are the tables that are other ones at the source than those whose rows were copied, by the same names. What is new is
// noted.
func (all published) others(ctx context.Context, target *pgx.Conn) (names []string, err error) {
	names, err = all.madeAnew(ctx, target)
	if err != nil || len(names) > 0 {
		return names, err
	}
	_, err = target.Exec(ctx, "INSERT INTO "+read+" SELECT t.name, t.oid FROM unnest($1::text[], $2::bigint[]) AS t(name, oid) WHERE NOT EXISTS (SELECT FROM "+read+" r WHERE r.name = t.name)", all.names, all.oids)
	return nil, admin.Said(err)
}

// madeAnew are the same, and nothing is noted.
func (all published) madeAnew(ctx context.Context, target *pgx.Conn) ([]string, error) {
	return values[string](ctx, target, "SELECT r.name FROM "+read+" r JOIN unnest($1::text[], $2::bigint[]) AS t(name, oid) ON t.name = r.name WHERE t.oid <> r.oid ORDER BY 1", all.names, all.oids)
}

// slot is what the source keeps of what a database of the target has yet to get.
type slot struct {
	Name   string
	Lost   bool
	Active bool
	Behind int64
	Has    int64 // up to where the target has confirmed what it got
}

// slots are those of a target, by name.
func slots(ctx context.Context, source *pgx.Conn, prefix string) (map[string]slot, error) {
	all, err := each[slot](ctx, source, `SELECT slot_name::text, coalesce(wal_status = 'lost', false), active, coalesce((pg_current_wal_lsn() - confirmed_flush_lsn)::bigint, 0), coalesce((confirmed_flush_lsn - '0/0')::bigint, 0)
FROM pg_replication_slots WHERE slot_name LIKE $1 || '%'`, prefix)
	by := map[string]slot{}
	for _, s := range all {
		by[s.Name] = s
	}
	return by, err
}

// prefix begins the names of the slots of a target: others may copy the same source.
func prefix(ctx context.Context, target *pgx.Conn) (string, error) {
	id, err := value[string](ctx, target, "SELECT system_identifier::text FROM pg_control_system()")
	return mark + "_" + id + "_", err
}

// slotOf is the name of the slot of a database.
func slotOf(ctx context.Context, source *pgx.Conn, prefix string) (string, error) {
	oid, err := value[int64](ctx, source, "SELECT oid::bigint FROM pg_database WHERE datname = current_database()")
	return fmt.Sprint(prefix, oid), err
}

// subscription is one of a database of the target.
type subscription struct{ Conninfo, Slot string }

// ofThis says that a subscription is that of this database: their catalog is that of all.
const ofThis = "subname = '" + mark + "' AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())"

func subscribed(ctx context.Context, target *pgx.Conn) (*subscription, error) {
	all, err := each[subscription](ctx, target, "SELECT subconninfo, coalesce(subslotname::text, '') FROM pg_subscription WHERE "+ofThis)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// subscribe has a database of the target copy the tables and follow them: from the beginning, so they are emptied first.
func (p Pair) subscribe(ctx context.Context, source, target *pgx.Conn, database, slot string, all published) error {
	err := do(ctx, source, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active AND slot_name = "+admin.Literal(slot)) // of a try that was cut short
	if err != nil {
		return err
	}
	err = do(ctx, target, "SET session_replication_role = replica", "TRUNCATE ONLY "+strings.Join(all.names, ", ONLY ")+" CASCADE", "DELETE FROM "+copied, "DELETE FROM "+read, "SET session_replication_role = origin")
	if err != nil {
		return err
	}
	_, err = target.Exec(ctx, "INSERT INTO "+read+" SELECT * FROM unnest($1::text[], $2::bigint[])", all.names, all.oids)
	if err != nil {
		return admin.Said(err)
	}
	// The slot first: what waits for it at the source is not said with the password. With synchronous_commit nothing is
	// confirmed that a failover of the target would lose.
	if err := do(ctx, source, "SELECT pg_create_logical_replication_slot("+admin.Literal(slot)+", 'pgoutput')"); err != nil {
		return err
	}
	return p.withSecret(ctx, target, database, "CREATE SUBSCRIPTION "+mark+" CONNECTION %L PUBLICATION "+mark+" WITH (create_slot = false, slot_name = "+admin.Literal(slot)+", copy_data = true, synchronous_commit = 'on')")
}

// withSecret executes a statement with how the source is reached, which others are not to read: not in the list of statements
// that run.
func (p Pair) withSecret(ctx context.Context, target *pgx.Conn, database, statement string) error {
	if _, err := target.Exec(ctx, "SELECT set_config('quorum.secret', $1, false)", p.withPassword(database)); err != nil {
		return admin.Said(err)
	}
	err := do(ctx, target, "DO "+admin.Literal("BEGIN EXECUTE pg_catalog.format("+admin.Literal(statement)+", pg_catalog.current_setting('quorum.secret')); END"))
	return errors.Join(err, do(ctx, target, "SELECT set_config('quorum.secret', '', false)"))
}

// withPassword is how the target's server reaches a database of the source.
func (p Pair) withPassword(database string) string {
	info := p.conninfo(database)
	if p.Source.Password != nil {
		info += " password=" + admin.Word(ptr.Value(p.Source.Password))
	}
	return info
}

// unsubscribe ends what follows the source, and takes the slot there along if the source answers.
func unsubscribe(ctx context.Context, target *pgx.Conn, keepSlot bool) error {
	s, err := subscribed(ctx, target)
	if err != nil || s == nil {
		return err
	}
	if !keepSlot {
		if err := do(ctx, target, "DROP SUBSCRIPTION "+mark); err == nil {
			return nil
		}
	}
	return do(ctx, target, "ALTER SUBSCRIPTION "+mark+" DISABLE", "ALTER SUBSCRIPTION "+mark+" SET (slot_name = NONE)", "DROP SUBSCRIPTION "+mark)
}
