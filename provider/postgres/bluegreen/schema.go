package bluegreen

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// copied is the table by which one knows that a database has its schema: it comes with it, in one transaction. Its row says
// that what follows the copy is done.
const copied = mark + ".copied"

// read has the tables that are copied, and which they were at the source: one by the same name may be another one later.
const read = mark + ".read"

// copySchema has the target's leader take the schema of a database, by programs of its own version: pg_dump at the source, psql
// here. The password goes to their standard input, since others on the machine see a program's arguments.
func (p Pair) copySchema(ctx context.Context, target *pgx.Conn, database string) error {
	programs, err := value[string](ctx, target, "SELECT setting FROM pg_config WHERE name = 'BINDIR'")
	if err != nil {
		return err
	}
	type server struct{ Sockets, Port string }
	at, err := each[server](ctx, target, "SELECT split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port')")
	if err != nil {
		return err
	}
	said := "/tmp/" + mark + "." + rand.Text()
	program := fmt.Sprintf(`umask 077; set -C; exec >%s 2>&1; PGPASSWORD="$(base64 -d)"; export PGPASSWORD; `+
		`{ echo 'BEGIN;' && %s --schema-only --no-publications --no-subscriptions --no-tablespaces --exclude-schema=%s --exclude-schema=%s --dbname=%s && `+
		`echo 'CREATE SCHEMA IF NOT EXISTS %s; CREATE TABLE %s (analyzed boolean); CREATE TABLE %s (name text, oid bigint); COMMIT;'; } | `+
		`env -u PGPASSWORD PGOPTIONS=-crole=none %s --no-psqlrc --quiet --output=/dev/null --set=ON_ERROR_STOP=1 --host=%s --port=%s --username=%s --dbname=%s; true`,
		said, shell(path.Join(programs, "pg_dump")), poolSchema, mark, shell(p.conninfo(database)), mark, copied, read,
		shell(path.Join(programs, "psql")), shell(strings.TrimSpace(at[0].Sockets)), at[0].Port, shell(p.user()), shell("dbname="+admin.Word(database)))
	if _, err := target.Exec(ctx, "SELECT set_config('quorum.secret', encode(convert_to($1, 'UTF8'), 'base64'), false)", ptr.Value(p.Source.Password)); err != nil {
		return admin.Said(err)
	}
	failed := do(ctx, target, "COPY (SELECT replace(current_setting('quorum.secret'), E'\\n', '')) TO PROGRAM "+admin.Literal(program))
	err = do(ctx, target, "SELECT set_config('quorum.secret', '', false)", "CREATE TEMP TABLE IF NOT EXISTS quorum_said (line text)", "TRUNCATE pg_temp.quorum_said",
		"COPY pg_temp.quorum_said FROM PROGRAM "+admin.Literal("tail -n 20 "+said+" 2>&1; rm -f "+said)+` WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')`)
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	if has, err := hasSchema(ctx, target); err != nil || has {
		return err
	}
	lines, err := values[string](ctx, target, "SELECT line FROM pg_temp.quorum_said WHERE line <> ''")
	if err != nil {
		return err
	}
	return Refused{"the schema could not be copied: " + strings.Join(lines, "; ")}
}

// hasSchema reports whether a database has its schema. What says so must be ours: the owner of a database may make things in it.
func hasSchema(ctx context.Context, target *pgx.Conn) (bool, error) {
	type found struct{ Ours bool }
	all, err := each[found](ctx, target, `SELECT n.nspowner = me.oid AND c.relowner = me.oid AND NOT c.relhastriggers AND NOT c.relhasrules FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname IN ('copied', 'read'),
(SELECT oid FROM pg_roles WHERE rolname = current_user) AS me WHERE n.nspname = '`+mark+`' AND (c.oid IS NOT NULL OR n.nspowner <> me.oid)`)
	for _, one := range all {
		if !one.Ours {
			return false, Refused{"somebody has made a schema " + mark + " in it, or changed what is there: drop that"}
		}
	}
	return len(all) > 0, err
}

func (p Pair) user() string {
	if u := ptr.Value(p.Target.User); u != "" {
		return u
	}
	return maintenance
}

// conninfo is how the target's server reaches a database of the source, all but the password.
func (p Pair) conninfo(database string) string {
	var hosts, ports []string
	for _, endpoint := range p.Source.Endpoints {
		i := strings.LastIndex(endpoint, ":")
		hosts, ports = append(hosts, strings.Trim(endpoint[:i], "[]")), append(ports, endpoint[i+1:])
	}
	user := maintenance
	if u := ptr.Value(p.Source.User); u != "" {
		user = u
	}
	parts := []string{
		"host=" + admin.Word(strings.Join(hosts, ",")), "port=" + admin.Word(strings.Join(ports, ",")), "user=" + admin.Word(user), "dbname=" + admin.Word(database),
		"target_session_attrs=primary", "connect_timeout=10", "sslmode=verify-full", "sslrootcert=" + admin.Word(p.CAFile),
		"sslcert=" + admin.Word(p.CertFile), "sslkey=" + admin.Word(p.KeyFile),
	}
	return strings.Join(parts, " ")
}

// shell is a word of a command.
func shell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
