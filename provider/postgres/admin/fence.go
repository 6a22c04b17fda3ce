package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	fenceTimeout  = time.Minute
	reloadTimeout = 15 * time.Second
	endTimeout    = 20 * time.Second      // for all sessions that are ended
	lookPause     = 20 * time.Millisecond // writes wait meanwhile
)

// Fenced is a server that refuses writes, and up to where it has written.
type Fenced struct {
	At       string // the endpoint by which one comes there
	UpTo     int64
	Timeline int
}

// Leader is the endpoint by which one comes to the server that leads.
func (c Connection) Leader(ctx context.Context) (at string, err error) {
	conn, at, err := connect(ctx, c, maintenance, pgconn.ValidateConnectTargetSessionAttrsPrimary)
	if err != nil {
		return "", err
	}
	return at, conn.Close(ctx)
}

// IsAway reports whether an error means that no server answered, or let one in, that leads.
func IsAway(err error) bool {
	var failed *connectError
	return errors.As(err, &failed)
}

// Fence has the server that leads refuse writes from now on, and ends all other sessions. It may have been done before. One of
// another cluster than systemID is left alone. It takes longer than a look, and is not cut off with one.
func (c Connection) Fence(ctx context.Context, systemID string) (f Fenced, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fenceTimeout)
	defer cancel()
	conn, at, err := connect(ctx, c, maintenance, pgconn.ValidateConnectTargetSessionAttrsPrimary)
	if err != nil {
		return f, err
	}
	defer func() { _ = conn.Close(ctx) }()
	f.At = at
	return f, said(fence(ctx, conn, systemID, &f))
}

const others = " FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_catalog.pg_backend_pid()"

func fence(ctx context.Context, conn *pgx.Conn, systemID string, f *Fenced) error {
	var is string
	if err := conn.QueryRow(ctx, "SELECT system_identifier::text FROM pg_catalog.pg_control_system()").Scan(&is); err != nil {
		return err
	}
	if systemID != "" && is != systemID {
		return fmt.Errorf("it is another cluster: its system id is %s, and not %s", is, systemID)
	}
	for _, statement := range []string{"ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_catalog.pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	// Sessions that begin after this one has seen it refuse writes too.
	err := until(reloadTimeout, "default_transaction_read_only does not come into force", func() (bool, error) {
		err := conn.QueryRow(ctx, "SHOW default_transaction_read_only").Scan(&is)
		return is == "on", err
	})
	if err != nil {
		return err
	}
	var ended time.Time
	if err := conn.QueryRow(ctx, "SELECT pg_catalog.clock_timestamp()").Scan(&ended); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_catalog.count(pg_catalog.pg_terminate_backend(pid))"+others); err != nil {
		return err
	}
	err = until(endTimeout, "sessions do not end", func() (bool, error) {
		var left int
		err := conn.QueryRow(ctx, "SELECT pg_catalog.count(*)"+others+" AND backend_start < $1", ended).Scan(&left)
		return left == 0, err
	})
	if err != nil {
		return err
	}
	// All before this is sent at once, also what no commit has waited for.
	return conn.QueryRow(ctx, "SELECT (pg_catalog.pg_switch_wal() - '0/0')::bigint, (SELECT timeline_id FROM pg_catalog.pg_control_checkpoint())").Scan(&f.UpTo, &f.Timeline)
}

// until asks again until the answer is yes.
func until(limit time.Duration, why string, is func() (bool, error)) error {
	for end := time.Now().Add(limit); ; time.Sleep(lookPause) {
		switch yes, err := is(); {
		case err != nil:
			return err
		case yes:
			return nil
		case time.Now().After(end):
			return errors.New(why)
		}
	}
}
