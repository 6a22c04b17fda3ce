package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	primaryTimeout = 10 * time.Second
	fenceTimeout   = time.Minute
	reloadTimeout  = 15 * time.Second
	endTimeout     = 20 * time.Second      // for all sessions that are ended
	lookPause      = 20 * time.Millisecond // writes wait meanwhile
)

// timeline is that on which a server that leads writes. The one of the last checkpoint may be that of before a failover.
const timeline = "('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::int"

// Primary is a server that leads.
type Primary struct {
	At       string // the endpoint by which one comes there
	Refuses  bool   // writes
	Timeline int
}

// Primary looks at the server that leads, if it is of the cluster with a system id, or of any.
func (c Connection) Primary(ctx context.Context, systemID string) (now Primary, err error) {
	ctx, cancel := context.WithTimeout(ctx, primaryTimeout)
	defer cancel()
	conn, at, err := connect(ctx, c, maintenance, pgconn.ValidateConnectTargetSessionAttrsPrimary)
	if err != nil {
		return now, err
	}
	defer func() { _ = conn.Close(ctx) }()
	now.At = at
	if systemID != "" {
		if err := isOf(ctx, conn, systemID); err != nil {
			return now, err
		}
	}
	return now, said(conn.QueryRow(ctx, "SELECT pg_catalog.current_setting('default_transaction_read_only') = 'on', "+timeline).Scan(&now.Refuses, &now.Timeline))
}

// isOf requires a server to be of the cluster with a system id.
func isOf(ctx context.Context, conn *pgx.Conn, systemID string) error {
	var is string
	if err := conn.QueryRow(ctx, "SELECT system_identifier::text FROM pg_catalog.pg_control_system()").Scan(&is); err != nil {
		return err
	}
	if is != systemID {
		return fmt.Errorf("it is another cluster: its system id is %s, and not %s", is, cmp.Or(systemID, "known"))
	}
	return nil
}

// Fenced is a server that refuses writes, and up to where it has written.
type Fenced struct {
	At       string // the endpoint by which one comes there
	Asked    bool   // whether it was set to refuse them. With an error, sessions of before may still write
	UpTo     int64
	Timeline int
}

// IsAway reports whether an error means that no server answered anything, but perhaps a standby or a load balancer.
func IsAway(err error) bool {
	var failed *connectError
	return errors.As(err, &failed) && !failed.answered
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
	if err := isOf(ctx, conn, systemID); err != nil {
		return err
	}
	if err := execute(ctx, conn, "ALTER SYSTEM SET default_transaction_read_only = on"); err != nil {
		return err
	}
	f.Asked = true
	if err := execute(ctx, conn, "SELECT pg_catalog.pg_reload_conf()"); err != nil {
		return err
	}
	// Sessions that begin after this one has seen it refuse writes too.
	var in bool
	err := until(reloadTimeout, "default_transaction_read_only does not come into force", func() (bool, error) {
		err := conn.QueryRow(ctx, "SELECT pg_catalog.current_setting('default_transaction_read_only') = 'on'").Scan(&in)
		return in, err
	})
	if err != nil {
		return err
	}
	var ended time.Time
	if err := conn.QueryRow(ctx, "SELECT pg_catalog.clock_timestamp()").Scan(&ended); err != nil {
		return err
	}
	err = until(endTimeout, "sessions do not end", func() (bool, error) {
		var left int // those that it can end are gone at the next look
		err := conn.QueryRow(ctx, "SELECT pg_catalog.count(pg_catalog.pg_terminate_backend(pid))"+others+" AND backend_start <= $1", ended).Scan(&left)
		return left == 0, err
	})
	if err != nil {
		return err
	}
	// All before this is sent at once, also what no commit has waited for.
	return conn.QueryRow(ctx, "SELECT (pg_catalog.pg_switch_wal() - '0/0')::bigint, "+timeline).Scan(&f.UpTo, &f.Timeline)
}

// Unfence has a server take writes that has the setting of a fenced one, of which its data were copied.
func (c Connection) Unfence(ctx context.Context) (was bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, primaryTimeout)
	defer cancel()
	err = c.whoever(ctx, maintenance, func(conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, "SELECT pg_catalog.count(*) > 0 FROM pg_catalog.pg_file_settings WHERE name = 'default_transaction_read_only' AND setting = 'on' AND sourcefile ~ 'postgresql.auto.conf$'").Scan(&was)
		if err != nil || !was {
			return err
		}
		return execute(ctx, conn, "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_catalog.pg_reload_conf()")
	})
	return was, err
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
