package admin_test

import (
	"context"
	"net"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// session is one of a user in the database postgres.
func (w world) session(user, password string) *pgx.Conn {
	w.t.Helper()
	to := url.URL{
		Scheme: "postgres", User: url.UserPassword(user, password), Host: net.JoinHostPort("127.0.0.1", w.pg.Port), Path: "/postgres",
		RawQuery: "sslmode=verify-full&sslrootcert=" + url.QueryEscape(w.pg.Dir+"/server.crt"),
	}
	conn, err := pgx.Connect(w.t.Context(), to.String())
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
