package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// ofLists are the parameters whose values are lists of names, which one text in quotes would make a single name.
var ofLists = []string{"local_preload_libraries", "search_path", "session_preload_libraries", "shared_preload_libraries", "temp_tablespaces", "unix_socket_directories"}

// set gives each new session of the user the parameters wanted, and none other of those that were.
func (u UserState) set(ctx context.Context, tx pgx.Tx, were map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(were)) {
		if _, ok := u.Settings[name]; ok {
			continue
		}
		if _, err := tx.Exec(ctx, "ALTER ROLE "+quoted(u.Name)+" RESET "+parameter(name)); err != nil {
			return step(err, "reset %s of user %s", name, u.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.Settings)) {
		value := u.Settings[name]
		if was, ok := were[name]; ok && was == value {
			continue
		}
		to := " TO " + literal(value)
		if slices.Contains(ofLists, strings.ToLower(name)) {
			if _, err := tx.Exec(ctx, "SELECT pg_catalog.set_config($1, $2, true)", name, value); err != nil {
				return step(err, "set %s of user %s", name, u.Name)
			}
			to = " FROM CURRENT"
		}
		if _, err := tx.Exec(ctx, "ALTER ROLE "+quoted(u.Name)+" SET "+parameter(name)+to); err != nil {
			return step(err, "set %s of user %s", name, u.Name)
		}
	}
	return u.mayBe(ctx, tx)
}

// mayBe requires the role as which sessions begin to be one of which the user is a member: else PostgreSQL only warns at each
// login, and what is created belongs to the user.
func (u UserState) mayBe(ctx context.Context, tx pgx.Tx) error {
	for name, role := range u.Settings {
		if !strings.EqualFold(name, "role") || strings.EqualFold(role, "none") {
			continue
		}
		var is bool
		if err := tx.QueryRow(ctx, "SELECT pg_catalog.pg_has_role($1::name, $2::name, 'MEMBER')", u.Name, role).Scan(&is); err != nil {
			return step(err, "set %s of user %s", name, u.Name)
		}
		if !is {
			return fmt.Errorf("set %s of user %s: %s is no member of %s: give memberOf", name, u.Name, u.Name, role)
		}
	}
	return nil
}

// parameter is a parameter's name as SQL has it: one of an extension has its prefix apart.
func parameter(name string) string { return pgx.Identifier(strings.Split(name, ".")).Sanitize() }

// lookAtSettings reads the parameters that new sessions of the user have in all databases, by the names that are wanted,
// since PostgreSQL writes some in another case.
func (u *UserState) lookAtSettings(ctx context.Context, conn *pgx.Conn) error {
	var lines []string
	err := conn.QueryRow(ctx, `SELECT COALESCE((SELECT setconfig FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole
		WHERE s.setdatabase = 0 AND r.rolname = $1), '{}')`, u.Name).Scan(&lines)
	if err != nil {
		return step(err, "read the settings of user %s", u.Name)
	}
	var now map[string]string // none where there are none: an empty one would be a difference
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		for wanted := range u.Settings {
			if strings.EqualFold(wanted, name) {
				name = wanted
			}
		}
		if now == nil {
			now = map[string]string{}
		}
		now[name] = value
	}
	u.Settings = now
	return nil
}

// settings returns what is wrong with parameters of a user.
func settings(given map[string]string) check.List {
	var l check.List
	known := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		at := check.Join("settings", name)
		if !check.Matches(`[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*`, name) {
			l.Add(at, "must be the name of a parameter of PostgreSQL, like statement_timeout, not %s", check.Quote(name))
		}
		if other, has := known[strings.ToLower(name)]; has {
			l.Add(at, "must differ from %s: PostgreSQL takes both for the same parameter", check.Join("settings", other))
		}
		known[strings.ToLower(name)] = name
		l.Check(at, check.OneLine(given[name]))
	}
	return l
}
