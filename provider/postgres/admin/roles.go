package admin

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Role is one that may log in.
type Role struct {
	Name string
	MD5  bool // its password is kept as a hash of MD5
}

// Roles are those of the cluster.
func (c Connection) Roles(ctx context.Context) (all []Role, err error) {
	_, err = c.onPrimary(ctx, "", func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT rolname, coalesce(rolpassword LIKE 'md5%', false) FROM pg_catalog.pg_authid WHERE rolcanlogin ORDER BY 1")
		if err == nil {
			all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Role])
		}
		return err
	})
	return all, err
}

// Replicates logs in to the first server as one does that follows it, and asks nothing.
func (c Connection) Replicates(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, primaryTimeout)
	defer cancel()
	config, err := c.config(c.Endpoints[0], "")
	if err != nil {
		return err
	}
	config.RuntimeParams = map[string]string{"application_name": applicationName, "replication": "true"}
	conn, err := pgconn.ConnectConfig(ctx, &config.Config)
	if err != nil {
		return unconnected(c.Endpoints[:1], []error{err})
	}
	return conn.Close(ctx)
}

// IsRefused reports whether PostgreSQL refuses a password, which it also does for a role that is not there.
func IsRefused(err error) bool { return isCode(err, wrongPassword) }
