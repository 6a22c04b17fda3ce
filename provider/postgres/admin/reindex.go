package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// leftovers are of a REINDEX CONCURRENTLY that was cut off. https://www.postgresql.org/docs/current/sql-reindex.html
	leftovers = `SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE NOT i.indisvalid AND c.relname ~ '_cc(new|old)[0-9]*$'`

	// sorting are the indexes that may depend on how text is sorted, and whether one can be made anew beside the old one. Those
	// by collation C or POSIX (950 and 951) do not, nor do those of the system.
	sorting = `SELECT i.indexrelid::regclass::text, NOT i.indisexclusion
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'i' AND c.relpersistence <> 't' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
		AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
			OR EXISTS (SELECT FROM unnest(i.indcollation) AS k(by) WHERE k.by NOT IN (0, 950, 951))
			OR EXISTS (SELECT FROM pg_attribute a JOIN pg_range r ON r.rngtypid = a.atttypid
				WHERE a.attrelid = i.indexrelid AND r.rngcollation NOT IN (0, 950, 951)))
		ORDER BY pg_relation_size(i.indexrelid), 1`
)

// Reindex makes anew, on the server that takes writes, all indexes of a database that may depend on how text is sorted, while
// clients write, and then notes that they are of what sorts now. Cut off, it begins again. say is told where it is.
func (c Connection) Reindex(ctx context.Context, s Sorted, say func(string)) error {
	conn, _, err := connect(ctx, c, s.Database, pgconn.ValidateConnectTargetSessionAttrsReadWrite)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	err = reindex(ctx, conn, func(text string) { say("database " + s.Database + ": " + text) })
	if err == nil {
		err = remember(ctx, conn, s)
	}
	return said(err)
}

func reindex(ctx context.Context, conn *pgx.Conn, say func(string)) error {
	rows, err := conn.Query(ctx, leftovers)
	if err != nil {
		return err
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range left {
		if _, err := conn.Exec(ctx, "DROP INDEX CONCURRENTLY IF EXISTS "+name); err != nil {
			return err
		}
	}
	type index struct {
		Name   string
		Beside bool
	}
	if rows, err = conn.Query(ctx, sorting); err != nil {
		return err
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[index])
	if err != nil {
		return err
	}
	for i, each := range all {
		say(fmt.Sprintf("index %s is made anew, %d of %d", each.Name, i+1, len(all)))
		how := "REINDEX INDEX CONCURRENTLY "
		if !each.Beside {
			how = "REINDEX INDEX "
		}
		if _, err := conn.Exec(ctx, how+each.Name); err != nil {
			if answer := (*pgconn.PgError)(nil); errors.As(err, &answer) {
				answer.Detail = "" // it has values of rows
			}
			return fmt.Errorf("index %s: %w", each.Name, err)
		}
	}
	return nil
}

// remember has PostgreSQL know by which versions indexes are made now.
func remember(ctx context.Context, conn *pgx.Conn, s Sorted) error {
	for _, name := range s.By {
		if _, err := conn.Exec(ctx, "ALTER COLLATION "+name+" REFRESH VERSION"); err != nil {
			return err
		}
	}
	if !s.Itself {
		return nil
	}
	_, err := conn.Exec(ctx, "ALTER DATABASE "+pgx.Identifier{s.Database}.Sanitize()+" REFRESH COLLATION VERSION")
	return err
}
