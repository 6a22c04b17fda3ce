package admin

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	reloadTimeout = 20 * time.Second
	endTimeout    = 10 * time.Second // for a session that is ended
)

// Leader is the endpoint by which one comes to the server that leads.
func (c Connection) Leader(ctx context.Context) (at string, err error) {
	conn, at, err := connect(ctx, c, maintenance, pgconn.ValidateConnectTargetSessionAttrsPrimary)
	if err != nil {
		return "", err
	}
	return at, conn.Close(ctx)
}

// Fence has the server that leads refuse writes from now on, ends all other sessions, and returns up to where it has written
// then. It may have been done before. Another server that leads later accepts writes again, and so does one where a session
// asks for it.
func (c Connection) Fence(ctx context.Context) (at string, upTo int64, err error) {
	conn, at, err := connect(ctx, c, maintenance, pgconn.ValidateConnectTargetSessionAttrsPrimary)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	upTo, err = fence(ctx, conn)
	return at, upTo, said(err)
}

func fence(ctx context.Context, conn *pgx.Conn) (upTo int64, err error) {
	for _, statement := range []string{"ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	// Sessions that begin after this one has seen it refuse writes too.
	for until := time.Now().Add(reloadTimeout); ; time.Sleep(pause) {
		var is string
		if err := conn.QueryRow(ctx, "SHOW default_transaction_read_only").Scan(&is); err != nil {
			return 0, err
		}
		if is == "on" {
			break
		}
		if time.Now().After(until) {
			return 0, errors.New("default_transaction_read_only does not come into force")
		}
	}
	const end = "SELECT count(*) FROM (SELECT pg_terminate_backend(pid, $1) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) ended"
	if _, err := conn.Exec(ctx, end, endTimeout.Milliseconds()); err != nil {
		return 0, err
	}
	// All before this is sent at once, also what no commit has waited for.
	err = conn.QueryRow(ctx, "SELECT (pg_switch_wal() - '0/0')::bigint").Scan(&upTo)
	return upTo, err
}
