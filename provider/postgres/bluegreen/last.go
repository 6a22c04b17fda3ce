package bluegreen

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// takeOverDatabase waits until a database has all that the source has written, and gives it the sequences' numbers.
func (c *CutOver) takeOverDatabase(ctx context.Context, there, here *pgx.Conn) error {
	before, err := prefix(ctx, here)
	if err != nil {
		return err
	}
	slot, err := slotOf(ctx, there, before)
	if err != nil {
		return err
	}
	follows, err := subscribed(ctx, here)
	if err != nil {
		return err
	}
	for end := time.Now().Add(catchUp); follows != nil; time.Sleep(catchUpPause) {
		known, err := slots(ctx, there, before)
		if err != nil {
			return err
		}
		is, exists := known[slot]
		if exists && is.Has >= c.fenced.UpTo {
			break
		}
		if !exists || time.Now().After(end) {
			return refusedf("it does not get what was written last: the replication slot %s of the source is at %d, and the source at %d", slot, is.Has, c.fenced.UpTo)
		}
	}
	if err := changed(ctx, there); err != nil {
		return err
	}
	return carrySequences(ctx, there, here)
}

// carrySequences gives the target's sequences the numbers of the source's, whether they were ever asked for one or were set.
func carrySequences(ctx context.Context, there, here *pgx.Conn) error {
	names, err := values[string](ctx, there, "SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'S' AND "+users+" AND NOT "+extensionOfClass+" ORDER BY 1")
	if err != nil || len(names) == 0 {
		return err
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = "SELECT " + admin.Literal(name) + "::text, last_value, is_called FROM " + name
	}
	type sequence struct {
		Name   string
		Last   int64
		Called bool
	}
	all, err := each[sequence](ctx, there, strings.Join(parts, " UNION ALL "))
	if err != nil {
		return err
	}
	last, called := make([]int64, len(all)), make([]bool, len(all))
	for i, s := range all {
		names[i], last[i], called[i] = s.Name, s.Last, s.Called
	}
	_, err = here.Exec(ctx, "SELECT count(setval(name::regclass, last, called)) FROM unnest($1::text[], $2::bigint[], $3::bool[]) AS s (name, last, called)", names, last, called)
	return admin.Said(err)
}

// changed refuses what came to the source in the last moment, which nobody copies.
func changed(ctx context.Context, there *pgx.Conn) error {
	lines, err := values[string](ctx, there, `SELECT 'the table ' || name FROM (`+tables+`) AS t(name, oid)
WHERE NOT EXISTS (SELECT FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid WHERE p.pubname = '`+mark+`' AND r.prrelid::bigint = t.oid)
UNION ALL SELECT 'the prepared transaction ' || gid FROM pg_prepared_xacts WHERE database = current_database()`)
	if err != nil || len(lines) == 0 {
		return err
	}
	return Refused{"this came while the source was asked to refuse writes, and was not copied: " + strings.Join(lines, ", ")}
}
