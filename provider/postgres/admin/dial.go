package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

const (
	connectTimeout = 3 * time.Second // HAProxy lets a client wait for two while no node leads
	pause          = 500 * time.Millisecond
	// patience is longer than it takes until another node leads when the leader's machine is lost.
	patience = time.Minute
	// callTimeout bounds what takes long although the server answers, such as to copy a template.
	callTimeout = 10 * time.Minute
	// lockTimeout bounds the wait for what others have locked.
	lockTimeout = "30s"

	applicationName = "pulumi-resource-quorum"
)

// with calls do with a connection to a database on the server that takes writes. Through
// a switchover it tries again: what do does must be the same when it is done twice.
func with(ctx context.Context, c Connection, database string, do func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for until := time.Now().Add(patienceOf(ctx)); ; {
		err := once(ctx, c, database, do)
		if !passes(err) || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// patienceOf is less while no program runs: a stack is destroyed, perhaps its cluster first.
func patienceOf(ctx context.Context) time.Duration {
	if !running.Program(ctx) {
		return object.RefreshTimeout
	}
	return patience
}

// once is with that does not try again.
func once(ctx context.Context, c Connection, database string, do func(context.Context, *pgx.Conn) error) error {
	conn, at, err := connect(ctx, c, database, pgconn.ValidateConnectTargetSessionAttrsReadWrite)
	if err != nil {
		return err
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(bounded)
	}()
	if _, err = conn.Exec(ctx, "SET lock_timeout = '"+lockTimeout+"'"); err == nil {
		err = fault.Do(func() error { return do(ctx, conn) })
	}
	if err != nil && conn.IsClosed() {
		return &connectError{reasons: []string{at + ": " + reason(err)}}
	}
	return said(err)
}

// connect tries one endpoint after the other.
func connect(ctx context.Context, c Connection, database string, fits pgconn.ValidateConnectFunc) (conn *pgx.Conn, at string, err error) {
	errs := make([]error, len(c.Endpoints))
	for i, at := range c.Endpoints {
		if conn, errs[i] = connectTo(ctx, c, at, database, fits); errs[i] == nil {
			return conn, at, nil
		}
	}
	return nil, "", unconnected(c.Endpoints, errs)
}

// unconnected says of each endpoint why it is not the one.
func unconnected(endpoints []string, errs []error) error {
	failed, refused := &connectError{silent: !slices.ContainsFunc(errs, func(err error) bool { return !silent(err) })}, (*connectError)(nil)
	for i, at := range endpoints {
		line := at + ": " + reason(errs[i])
		failed.reasons = append(failed.reasons, line)
		failed.answered = failed.answered || final(errs[i]) || errors.As(errs[i], new(*pgconn.PgError))
		if final(errs[i]) && refused == nil { // unless this is an address of one that is gone, another server would say the same
			refused = &connectError{reasons: []string{line}, final: true, answered: true, cause: errs[i]}
		}
	}
	if refused != nil {
		return refused
	}
	return failed
}

func connectTo(ctx context.Context, c Connection, at, database string, fits pgconn.ValidateConnectFunc) (*pgx.Conn, error) {
	config, err := c.config(at, database)
	if err != nil {
		return nil, err
	}
	config.ValidateConnect = fits
	return pgx.ConnectConfig(ctx, config)
}

// config is how to connect to one server.
func (c Connection) config(at, database string) (*pgx.ConnConfig, error) {
	// What pgx would take of the environment is overwritten, but for what it refuses to read.
	config, err := pgx.ParseConfig("host=localhost sslmode=disable passfile='' connect_timeout=3 target_session_attrs=any")
	if err != nil {
		return nil, fmt.Errorf("the environment has a setting of libpq (PG...) that cannot be read: %w", err)
	}
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	config.Host, config.Port, config.Database = host, uint16(number), database
	config.User, config.Password = c.user(), ptr.Value(c.Password)
	config.Fallbacks, config.ConnectTimeout = nil, connectTimeout
	// Names mean what they mean in PostgreSQL, whatever the owner of a database has put on the path for us.
	config.RuntimeParams = map[string]string{"application_name": applicationName, "search_path": "pg_catalog", "statement_timeout": "0"}
	if config.TLSConfig, err = object.TLS(c.CACert, c.ClientCert, ptr.Value(c.ClientKey)); err != nil {
		return nil, err
	}
	config.TLSConfig.ServerName = host
	return config, nil
}
