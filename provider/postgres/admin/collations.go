package admin

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// Sorted is what a server sorts in another way than when the indexes of a database were made: by the C library or ICU of
// another operating system. https://www.postgresql.org/docs/current/sql-altercollation.html
type Sorted struct {
	Database string
	Itself   bool // by its own collation
	By       bool // by one that something in it uses
	text     string
}

func (s Sorted) String() string { return s.text }

const (
	// Databases with a limit of -2 are being dropped.
	ofDatabases = `SELECT datname, coalesce(datcollversion <> pg_database_collation_actual_version(oid), false),
		coalesce(datcollversion, ''), coalesce(pg_database_collation_actual_version(oid), '')
		FROM pg_database WHERE datallowconn AND datconnlimit <> -2 ORDER BY 1`
	ofOlder = `SELECT datname, false, '', '' FROM pg_database WHERE datallowconn AND datconnlimit <> -2 ORDER BY 1`

	// ofCollations are those that something in the database uses: initdb makes one for each locale there is.
	ofCollations = `SELECT oid::regcollation::text, collversion, pg_collation_actual_version(oid) FROM pg_collation c
		WHERE collversion <> pg_collation_actual_version(oid)
		AND EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_collation'::regclass AND refobjid = c.oid) ORDER BY 1`

	// atOnce bounds how many databases are asked side by side.
	atOnce = 8
)

// Sorts are the databases that the first server that answers sorts in another way than when their indexes were made.
func (c Connection) Sorts(ctx context.Context) (all []Sorted, err error) {
	databases, err := c.ownCollations(ctx)
	if err != nil {
		return nil, err
	}
	errs, slots := make([]error, len(databases)), make(chan struct{}, atOnce)
	var asked fault.Group
	for i := range databases {
		slots <- struct{}{}
		asked.Go(func() {
			defer func() { <-slots }()
			errs[i] = c.collations(ctx, &databases[i])
		})
	}
	asked.Wait()
	for i, d := range databases {
		switch {
		case noDatabase(errs[i]): // any more
		case errs[i] != nil:
			return nil, fmt.Errorf("database %s: %w", d.Database, errs[i])
		case d.Itself || d.By:
			all = append(all, d)
		}
	}
	return all, nil
}

func (c Connection) ownCollations(ctx context.Context) (all []Sorted, err error) {
	err = c.whoever(ctx, maintenance, func(conn *pgx.Conn) error {
		query := ofDatabases
		if records, err := recordsOwn(ctx, conn); err != nil {
			return err
		} else if !records {
			query = ofOlder
		}
		rows, err := conn.Query(ctx, query)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Sorted, err error) {
			var was, is string
			err = row.Scan(&s.Database, &s.Itself, &was, &is)
			if s.text = "database " + s.Database; s.Itself {
				s.text += fmt.Sprintf(" (%s, now %s)", was, is)
			}
			return s, err
		})
		return err
	})
	return all, err
}

// recordsOwn reports whether a server records the version of a database's own collation.
func recordsOwn(ctx context.Context, conn *pgx.Conn) (records bool, err error) {
	return records, conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int >= 150000").Scan(&records)
}

// collations fills in the collations of a database.
func (c Connection) collations(ctx context.Context, s *Sorted) error {
	return c.whoever(ctx, s.Database, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, ofCollations)
		if err != nil {
			return err
		}
		texts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (text string, err error) {
			var name, was, is string
			err = row.Scan(&name, &was, &is)
			return fmt.Sprintf("collation %s (%s, now %s)", name, was, is), err
		})
		if s.By = len(texts) > 0; s.By {
			s.text += " with " + strings.Join(texts, ", ")
		}
		return err
	})
}

// whoever calls do with a connection to a database, on a server that leads or not.
func (c Connection) whoever(ctx context.Context, database string, do func(*pgx.Conn) error) error {
	conn, _, err := connect(ctx, c, database, nil)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return said(do(conn))
}
