// Package bluegreen fills a cluster from another one by logical replication, and has it take that one's place.
//
// All of it is said in SQL, to the servers that lead: what is done stands in the databases themselves, so that whoever comes
// next, after a failover or an update that was killed, goes on from there. Only the schema needs programs, pg_dump and psql,
// which the server that leads runs itself (COPY ... PROGRAM).
package bluegreen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// Pair is a cluster, the source, and the one that comes to take its place, the target.
type Pair struct {
	Source, Target admin.Connection

	// Where nodes of the target have what they log in to the source with, beside the password.
	CAFile, CertFile, KeyFile string
}

const (
	maintenance = "postgres"       // the database that is there whatever else is
	mark        = "quorum_upgrade" // the name of publications, subscriptions, and the schema with what is noted
	poolSchema  = "quorum_pooler"  // of the pool of connections, which each cluster makes itself
	lockKey     = 0x71756f72756d   // of the lock that keeps two updates apart

	brief = 2 * time.Minute // of statements that take no longer
)

// Much bounds what takes as long as there are data.
const Much = 12 * time.Hour

// Refused says what keeps a cluster from being copied, all of it at once.
type Refused []string

func (r Refused) Error() string { return strings.Join(r, "\n- ") }

// refused is nil if nothing is.
func refused(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	return Refused(lines)
}

func refusedf(format string, args ...any) error { return Refused{fmt.Sprintf(format, args...)} }

// in opens a session with a database.
func in(ctx context.Context, c admin.Connection, database string) (*pgx.Conn, func(), error) {
	conn, err := c.Session(ctx, database)
	if err != nil {
		return nil, nil, err
	}
	return conn, func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(bounded)
	}, nil
}

// each are the rows that a query has, by the order of the fields of T.
func each[T any](ctx context.Context, conn *pgx.Conn, query string, args ...any) ([]T, error) {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return nil, admin.Said(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	return all, admin.Said(err)
}

// values are those of the only column of a query.
func values[T any](ctx context.Context, conn *pgx.Conn, query string, args ...any) ([]T, error) {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return nil, admin.Said(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	return all, admin.Said(err)
}

// value is the only one of a query.
func value[T any](ctx context.Context, conn *pgx.Conn, query string, args ...any) (v T, err error) {
	all, err := values[T](ctx, conn, query, args...)
	if err == nil && len(all) != 1 {
		err = errors.New("PostgreSQL answers " + query + " with no row")
	}
	if err != nil {
		return v, err
	}
	return all[0], nil
}

// do executes statements, one after the other, each by itself.
func do(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return admin.Said(err)
		}
	}
	return nil
}

// together executes statements in one transaction.
func together(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return do(ctx, tx.Conn(), statements...) })
}

// databases are those of a server that are copied.
func databases(ctx context.Context, source *pgx.Conn) ([]string, error) {
	return values[string](ctx, source, "SELECT datname::text FROM pg_database WHERE datallowconn AND datconnlimit <> -2 AND datname <> ALL ('{template0,template1}') ORDER BY datname")
}

// users are the schemas of users, in SQL.
const users = "n.nspname !~ '^pg_' AND n.nspname <> ALL ('{information_schema," + mark + "," + poolSchema + "}')"

// ofExtension says that an object of a catalog came with an extension, in SQL.
func ofExtension(catalog, oid string) string {
	return "EXISTS (SELECT FROM pg_depend WHERE classid = '" + catalog + "'::regclass AND objid = " + oid + " AND deptype = 'e')"
}

// tables are those whose rows are copied: also those of extensions that pg_dump would copy.
const tables = `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.oid::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND ` + users + ` AND ` + copiedAsRows

// about puts the database that a line is about before it.
func about(database string, lines []string) []string {
	said := make([]string, len(lines))
	for i, line := range lines {
		said[i] = "database " + database + ": " + line
	}
	return said
}

// copiedAsRows says that a table is none of an extension, but for those that pg_dump would copy, too.
const copiedAsRows = `NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' AND c.oid <> ALL (coalesce(e.extconfig, '{}')))`
