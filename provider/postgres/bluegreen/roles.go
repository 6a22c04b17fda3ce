package bluegreen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// ownRoles are those that nodes log in as, each with the passwords of its cluster.
var ownRoles = []string{maintenance, "replicator", "rewind_user"}

// role is one as its statement has it.
type role struct{ Name, Options string }

const rolesOf = `SELECT rolname::text, concat_ws(' ', CASE WHEN rolsuper THEN 'SUPERUSER' ELSE 'NOSUPERUSER' END, CASE WHEN rolinherit THEN 'INHERIT' ELSE 'NOINHERIT' END,
  CASE WHEN rolcreaterole THEN 'CREATEROLE' ELSE 'NOCREATEROLE' END, CASE WHEN rolcreatedb THEN 'CREATEDB' ELSE 'NOCREATEDB' END, CASE WHEN rolcanlogin THEN 'LOGIN' ELSE 'NOLOGIN' END,
  CASE WHEN rolreplication THEN 'REPLICATION' ELSE 'NOREPLICATION' END, CASE WHEN rolbypassrls THEN 'BYPASSRLS' ELSE 'NOBYPASSRLS' END, 'CONNECTION LIMIT', rolconnlimit,
  'PASSWORD', coalesce(quote_literal(rolpassword), 'NULL'), CASE WHEN rolvaliduntil IS NOT NULL THEN 'VALID UNTIL ' || quote_literal(rolvaliduntil) END)
FROM pg_authid WHERE rolname !~ '^pg_' AND rolname <> ALL ($1) ORDER BY 1`

// memberships are told apart by what PostgreSQL knows of each since 16.
const memberships = `SELECT r.rolname::text, m.rolname::text, bool_or(a.admin_option), bool_or(coalesce((to_jsonb(a) ->> 'inherit_option')::bool, m.rolinherit)), bool_or(coalesce((to_jsonb(a) ->> 'set_option')::bool, true))
FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
WHERE m.rolname !~ '^pg_' AND m.rolname <> ALL ($1) AND r.rolname <> ALL ($1) GROUP BY 1, 2 ORDER BY 1, 2`

type membership struct {
	Role, Member        string
	Admin, Inherit, Set bool
}

// grant is the statement, as a version knows it.
func (m membership) grant(version int) string {
	text := fmt.Sprintf("GRANT %s TO %s", admin.Quoted(m.Role), admin.Quoted(m.Member))
	switch {
	case version >= 16:
		return fmt.Sprintf("%s WITH ADMIN %t, INHERIT %t, SET %t", text, m.Admin, m.Inherit, m.Set)
	case m.Admin:
		return text + " WITH ADMIN OPTION"
	}
	return text
}

// carryRoles makes the target's roles, their passwords and memberships those of the source. One that the source has no
// more stays.
func carryRoles(ctx context.Context, source, target *pgx.Conn) error {
	// What they may do stands among the privileges of catalogs, which come with the schema.
	const existing = "SELECT rolname::text FROM pg_roles WHERE rolname = ANY ($1)"
	own, err := values[string](ctx, source, existing, ownRoles)
	if err != nil {
		return err
	}
	has, err := values[string](ctx, target, existing, ownRoles)
	if err != nil {
		return err
	}
	for _, name := range own {
		if !slices.Contains(has, name) {
			if err := do(ctx, target, "CREATE ROLE "+admin.Quoted(name)+" LOGIN"); err != nil { // without a password nobody is it
				return err
			}
		}
	}
	wanted, err := each[role](ctx, source, rolesOf, ownRoles)
	if err != nil {
		return err
	}
	are, err := each[role](ctx, target, rolesOf, ownRoles)
	if err != nil {
		return err
	}
	for _, r := range wanted {
		i := slices.IndexFunc(are, func(is role) bool { return is.Name == r.Name })
		verb := "ALTER"
		if i < 0 {
			verb = "CREATE"
		} else if are[i] == r {
			continue
		}
		if err := do(ctx, target, fmt.Sprintf("%s ROLE %s WITH %s", verb, admin.Quoted(r.Name), r.Options)); err != nil {
			return fmt.Errorf("role %s: %w", r.Name, err)
		}
	}
	version, err := value[int](ctx, target, majorVersion)
	if err != nil {
		return err
	}
	members, err := each[membership](ctx, source, memberships, ownRoles)
	if err != nil {
		return err
	}
	were, err := each[membership](ctx, target, memberships, ownRoles)
	if err != nil {
		return err
	}
	for _, m := range were {
		if !slices.Contains(members, m) {
			if err := do(ctx, target, fmt.Sprintf("REVOKE %s FROM %s", admin.Quoted(m.Role), admin.Quoted(m.Member))); err != nil {
				return fmt.Errorf("role %s: %w", m.Member, err)
			}
		}
	}
	for _, m := range members {
		if !slices.Contains(were, m) {
			if err := do(ctx, target, m.grant(version)); err != nil {
				return fmt.Errorf("role %s: %w", m.Member, err)
			}
		}
	}
	return nil
}

// setting is one of a role, of a database, or of both.
type setting struct{ Role, Database, Text string }

// settingsOf leaves out what has the target refuse writes.
const settingsOf = `SELECT coalesce(r.rolname::text, ''), coalesce(d.datname::text, ''), unnest(s.setconfig) FROM pg_db_role_setting s
LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase WHERE coalesce(r.rolname, '') <> ALL ($1) ORDER BY 1, 2, 3`

// listed are parameters whose values are lists of names, which stand quoted there already.
var listed = []string{"search_path", "session_preload_libraries", "shared_preload_libraries", "local_preload_libraries", "temp_tablespaces", "unix_socket_directories"}

const readOnlySetting = "default_transaction_read_only"

// carrySettings makes the target's settings of roles and databases those of the source.
func carrySettings(ctx context.Context, source, target *pgx.Conn) error {
	wanted, err := each[setting](ctx, source, settingsOf, ownRoles)
	if err != nil {
		return err
	}
	are, err := each[setting](ctx, target, settingsOf, ownRoles)
	if err != nil {
		return err
	}
	refuses := func(s setting) bool { return strings.HasPrefix(s.Text, readOnlySetting+"=") } // carried when the target takes writes
	for _, s := range are {
		key, _, _ := strings.Cut(s.Text, "=")
		if !slices.Contains(wanted, s) && !refuses(s) {
			if err := do(ctx, target, s.alters()+" RESET "+parameter(key)); err != nil {
				return fmt.Errorf("setting %s: %w", key, err)
			}
		}
	}
	for _, s := range wanted {
		if slices.Contains(are, s) || refuses(s) {
			continue
		}
		if err := do(ctx, target, s.set()); err != nil {
			return fmt.Errorf("setting %s: %w", s.Text, err)
		}
	}
	return nil
}

// set is the statement that makes it.
func (s setting) set() string {
	key, text, _ := strings.Cut(s.Text, "=")
	value := admin.Literal(text)
	if slices.Contains(listed, key) {
		value = list(text)
	}
	return s.alters() + " SET " + parameter(key) + " TO " + value
}

// parameter is the name of one as SQL has it: who may set one may choose what comes before and behind its dot.
func parameter(key string) string {
	parts := strings.Split(key, ".")
	for i, part := range parts {
		parts[i] = admin.Quoted(part)
	}
	return strings.Join(parts, ".")
}

// list is a list of names as SQL has it. As it is stored, names are quoted where that is needed, or where whoever set it has:
// each becomes one value, whatever is in it.
func list(text string) string {
	var all []string
	var name strings.Builder
	quoted := false
	end := func() {
		if trimmed := strings.TrimSpace(name.String()); trimmed != "" {
			all = append(all, admin.Literal(trimmed))
		}
		name.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && quoted && i+1 < len(text) && text[i+1] == '"':
			name.WriteByte(c)
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			end()
		default:
			name.WriteByte(c)
		}
	}
	if end(); len(all) == 0 {
		return "''"
	}
	return strings.Join(all, ", ")
}

// alters begins the statement that changes it.
func (s setting) alters() string {
	switch {
	case s.Role == "" && s.Database == "":
		return "ALTER ROLE ALL"
	case s.Role == "":
		return "ALTER DATABASE " + admin.Quoted(s.Database)
	case s.Database == "":
		return "ALTER ROLE " + admin.Quoted(s.Role)
	}
	return "ALTER ROLE " + admin.Quoted(s.Role) + " IN DATABASE " + admin.Quoted(s.Database)
}
