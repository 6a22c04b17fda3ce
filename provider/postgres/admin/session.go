package admin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// quiet has a session stay the superuser's, whatever role the owner of its database has set there; write also while the cluster
// refuses writes of others, wait for no lock for ever, and leave nothing of what it says in a log, as it may say passwords.
const quiet = "SET ROLE NONE; SET idle_in_transaction_session_timeout = 0; SET default_transaction_read_only = off; SET lock_timeout = '" + lockTimeout + "'; " +
	"SET log_statement = 'none'; SET log_min_error_statement = 'panic'; SET log_min_duration_statement = -1; SET log_duration = off; SET log_min_duration_sample = -1; SET log_transaction_sample_rate = 0; SET pg_stat_statements.track = 'none'; SET pgaudit.log = 'none'"

// Session is one of the superuser with a database, on the server that leads, also while that refuses writes. Errors of its
// statements are PostgreSQL's own: see Said.
func (c Connection) Session(ctx context.Context, database string) (*pgx.Conn, error) {
	conn, _, err := connect(ctx, c, database, pgconn.ValidateConnectTargetSessionAttrsPrimary)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, quiet); err != nil {
		_ = conn.Close(ctx)
		return nil, said(err)
	}
	return conn, nil
}

// Said is an error as messages have it, in PostgreSQL's words.
func Said(err error) error { return said(err) }

// Passes reports whether another try may succeed: no server that leads answers, or it is busy.
func Passes(err error) bool {
	return passes(err) || !errors.As(err, new(*connectError)) && !errors.As(err, new(*pgconn.PgError))
}

// Quoted is a name as SQL has it.
func Quoted(name string) string { return quoted(name) }

// Literal is a text as SQL has it.
func Literal(text string) string { return strings.TrimSpace(literal(text)) }

// OwnUsers are those that a cluster has of itself.
func OwnUsers() []string { return slices.Clone(ownUsers) }

// Word is a value as libpq reads it.
func Word(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
