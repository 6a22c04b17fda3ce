package admin

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
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
	Asked    bool   // whether it was set to refuse them. With an error, sessions of before may still write
	UpTo     int64
	Timeline int
}

// Fence has the server that leads refuse writes from now on, and ends all other sessions. It may have been done before. One of
// another cluster than systemID is left alone. It takes longer than a look, and is not cut off with one.
func (c Connection) Fence(ctx context.Context, systemID string) (f Fenced, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fenceTimeout)
	defer cancel()
	conn, at, err := connectPrimary(ctx, c)
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
	if err := nothingAround(ctx, conn); err != nil {
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
	if err := comesIntoForce(ctx, conn, "on"); err != nil {
		return err
	}
	var ended time.Time
	if err := conn.QueryRow(ctx, "SELECT pg_catalog.clock_timestamp()").Scan(&ended); err != nil {
		return err
	}
	err := until(endTimeout, "sessions do not end", func() (bool, error) {
		var left int // those that it can end are gone at the next look
		err := conn.QueryRow(ctx, "SELECT pg_catalog.count(pg_catalog.pg_terminate_backend(pid))"+others+" AND backend_start <= $1", ended).Scan(&left)
		return left == 0, err
	})
	if err != nil {
		return err
	}
	if err := nothingAround(ctx, conn); err != nil { // those sessions may have prepared something meanwhile
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
		if err := execute(ctx, conn, "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_catalog.pg_reload_conf()"); err != nil {
			return err
		}
		return comesIntoForce(ctx, conn, "off")
	})
	return was, err
}

// nothingAround requires that nothing gets around the refusal of writes.
func nothingAround(ctx context.Context, conn *pgx.Conn) error {
	var found []string
	if err := conn.QueryRow(ctx, "SELECT "+around).Scan(&found); err != nil {
		return err
	}
	return GetsAround(found)
}

// GetsAround is what to say of a server that would take some writes while it refuses them, or nil.
func GetsAround(statements []string) error {
	if len(statements) == 0 {
		return nil
	}
	return errors.New("some writes would get around its refusal; run there first: " + strings.Join(statements, "; "))
}

// comesIntoForce waits until a server has reloaded default_transaction_read_only.
func comesIntoForce(ctx context.Context, conn *pgx.Conn, value string) error {
	return until(reloadTimeout, "default_transaction_read_only does not come to be "+value, func() (is bool, err error) {
		err = conn.QueryRow(ctx, "SELECT pg_catalog.current_setting('default_transaction_read_only') = $1", value).Scan(&is)
		return is, err
	})
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
