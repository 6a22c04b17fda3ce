package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

const primaryTimeout = 10 * time.Second

// Primary is a server that leads.
type Primary struct {
	At       string // the endpoint by which one comes there
	Refuses  bool   // writes
	Timeline int
	Position int64    // up to where it has written WAL
	Around   []string // statements to run there first: else something writes although the server refuses writes
}

const (
	// timeline is that on which a server that leads writes. The one of the last checkpoint may be that of before a failover.
	timeline = "('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::int"

	// around are the statements that stop what gets around default_transaction_read_only.
	around = `ARRAY(
		SELECT 'ALTER ' || CASE WHEN s.setrole = 0 AND s.setdatabase <> 0 THEN 'DATABASE ' || quote_ident(d.datname)
			ELSE 'ROLE ' || coalesce(quote_ident(r.rolname), 'ALL') || coalesce(' IN DATABASE ' || quote_ident(d.datname), '') END || ' RESET default_transaction_read_only'
		FROM pg_catalog.pg_db_role_setting s LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole LEFT JOIN pg_catalog.pg_database d ON d.oid = s.setdatabase
		WHERE EXISTS (SELECT FROM pg_catalog.unnest(s.setconfig) AS of(one) WHERE CASE WHEN one LIKE 'default_transaction_read_only=%' THEN NOT pg_catalog.split_part(one, '=', 2)::boolean END)
		UNION ALL SELECT 'COMMIT PREPARED ' || quote_literal(gid) || ', or ROLLBACK, in database ' || quote_ident(database) FROM pg_catalog.pg_prepared_xacts
		UNION ALL SELECT 'ALTER SUBSCRIPTION ' || quote_ident(s.subname) || ' DISABLE, in database ' || quote_ident(d.datname)
		FROM pg_catalog.pg_subscription s JOIN pg_catalog.pg_database d ON d.oid = s.subdbid WHERE s.subenabled ORDER BY 1)`
)

// Primary looks at the server that leads, if it is of the cluster with a system id, or of any.
func (c Connection) Primary(ctx context.Context, systemID string) (now Primary, err error) {
	now.At, err = c.onPrimary(ctx, systemID, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT pg_catalog.current_setting('default_transaction_read_only') = 'on', "+timeline+", (pg_catalog.pg_current_wal_lsn() - '0/0')::bigint, "+around).
			Scan(&now.Refuses, &now.Timeline, &now.Position, &now.Around)
	})
	return now, err
}

// Mark has the server that leads write something, and gives the position up to where a standby has WAL when it has got that.
// It also begins another segment, which goes into the archive then.
func (c Connection) Mark(ctx context.Context, systemID string) (upTo int64, err error) {
	_, err = c.onPrimary(ctx, systemID, func(ctx context.Context, conn *pgx.Conn) error {
		if err := execute(ctx, conn, "SELECT pg_catalog.pg_logical_emit_message(false, 'quorum', '')"); err != nil {
			return err
		}
		return conn.QueryRow(ctx, "SELECT (pg_catalog.pg_switch_wal() - '0/0')::bigint").Scan(&upTo)
	})
	return upTo, err
}

// onPrimary does something briefly on the server that leads.
func (c Connection) onPrimary(ctx context.Context, systemID string, do func(context.Context, *pgx.Conn) error) (at string, err error) {
	ctx, cancel := context.WithTimeout(ctx, primaryTimeout)
	defer cancel()
	conn, at, err := connectPrimary(ctx, c)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	if systemID != "" {
		if err := isOf(ctx, conn, systemID); err != nil {
			return at, err
		}
	}
	return at, said(do(ctx, conn))
}

// connectPrimary tries all endpoints at once: those of nodes that are gone take seconds each.
func connectPrimary(ctx context.Context, c Connection) (*pgx.Conn, string, error) {
	conns, errs := make([]*pgx.Conn, len(c.Endpoints)), make([]error, len(c.Endpoints))
	var all fault.Group
	for i, at := range c.Endpoints {
		all.Go(func() {
			conns[i], errs[i] = connectTo(ctx, c, at, maintenance, pgconn.ValidateConnectTargetSessionAttrsPrimary)
		})
	}
	all.Wait()
	first := slices.IndexFunc(errs, func(err error) bool { return err == nil })
	for i, conn := range conns {
		if errs[i] == nil && i != first {
			_ = conn.Close(ctx)
		}
	}
	if first < 0 {
		return nil, "", unconnected(c.Endpoints, errs)
	}
	return conns[first], c.Endpoints[first], nil
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

// IsAway reports whether an error means that no server answered anything, but perhaps a standby or a load balancer.
func IsAway(err error) bool {
	var failed *connectError
	return errors.As(err, &failed) && !failed.answered
}

// IsSilent is IsAway of a cluster that nothing was heard of. What this side does not get as far as to hear, such as behind a
// certificate that has expired or a name that does not resolve, may come from one that lives.
func IsSilent(err error) bool {
	var failed *connectError
	return errors.As(err, &failed) && failed.silent
}

// silent reports whether an error is that of a server that is off, cut off or stopped, or does not lead.
func silent(err error) bool {
	var network net.Error
	switch {
	case errors.As(err, new(*net.DNSError)):
		return false
	case errors.As(err, &network) && network.Timeout(), strings.Contains(err.Error(), "server is in standby mode"):
		return true
	}
	return slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, syscall.EHOSTUNREACH, syscall.ENETUNREACH},
		func(is error) bool { return errors.Is(err, is) })
}
