package admin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
)

// grantLock keeps grants in one database apart: of two that change the same object at once
// PostgreSQL lets one fail.
const grantLock = 0x71756f72756d // quorum

// change grants what is wanted and was not there, and revokes what was and is not wanted: as
// a whole, or not at all.
func (g *GrantState) change(ctx context.Context, conn *pgx.Conn, was GrantState) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(grantLock)); err != nil {
			return err
		}
		if len(g.ObjectOwners) == 0 {
			var owner string
			if err := tx.QueryRow(ctx, "SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = current_database()").Scan(&owner); err != nil {
				return step(err, "read the owner of database %s", g.Database)
			}
			g.ObjectOwners = []string{owner}
		}
		for _, statement := range slices.Concat(g.statements(was, "GRANT ", " TO "), was.statements(*g, "REVOKE ", " FROM ")) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return step(err, "%s", statement)
			}
		}
		return nil
	})
}

// statements grant or revoke what g has and the other lacks. Who makes an object later gives
// the privileges by default, if it is one of the owners.
func (g GrantState) statements(other GrantState, verb, preposition string) (all []string) {
	whom, in := preposition+quoted(g.Role), " IN SCHEMA "+quoted(g.Schema)
	add := func(privileges []string, on string) {
		if len(privileges) > 0 {
			all = append(all, verb+strings.Join(privileges, ", ")+" ON "+on+whom)
		}
	}
	add(without(g.DatabasePrivileges, other.DatabasePrivileges), "DATABASE "+quoted(g.Database))
	add(without(g.SchemaPrivileges, other.SchemaPrivileges), "SCHEMA "+quoted(g.Schema))
	for _, kind := range []struct {
		name       string
		mine, have []string
	}{{"TABLES", g.TablePrivileges, other.TablePrivileges}, {"SEQUENCES", g.SequencePrivileges, other.SequencePrivileges}} {
		missing := without(kind.mine, kind.have)
		add(missing, "ALL "+kind.name+in)
		for _, owner := range g.ObjectOwners {
			later := missing
			if !slices.Contains(other.ObjectOwners, owner) {
				later = kind.mine
			}
			if len(later) > 0 {
				all = append(all, "ALTER DEFAULT PRIVILEGES FOR ROLE "+quoted(owner)+in+" "+verb+strings.Join(later, ", ")+" ON "+kind.name+whom)
			}
		}
	}
	return all
}

func without(all, those []string) (rest []string) {
	for _, one := range all {
		if !slices.Contains(those, one) {
			rest = append(rest, one)
		}
	}
	return rest
}

// revoke takes all back, unless the user or the schema is gone, and the privileges with it.
func (g GrantState) revoke(ctx context.Context, conn *pgx.Conn) error {
	_, _, gone, err := g.find(ctx, conn)
	if gone || err != nil {
		return err
	}
	var owners []string
	if err := conn.QueryRow(ctx, "SELECT coalesce(array_agg(rolname::text), '{}') FROM pg_roles WHERE rolname = ANY($1)", g.ObjectOwners).Scan(&owners); err != nil {
		return step(err, "read who owns objects")
	}
	g.ObjectOwners = owners
	nothing := GrantState{Database: g.Database, Schema: g.Schema, Role: g.Role, ObjectOwners: owners}
	return nothing.change(ctx, conn, g)
}

// find returns what PostgreSQL knows the user and the schema by.
func (g GrantState) find(ctx context.Context, conn *pgx.Conn) (role, schema uint32, gone bool, err error) {
	err = conn.QueryRow(ctx, "SELECT r.oid, n.oid FROM pg_roles r, pg_namespace n WHERE rolname = $1 AND nspname = $2", g.Role, g.Schema).Scan(&role, &schema)
	return role, schema, errors.Is(err, pgx.ErrNoRows), step(object.Ignore(err, pgx.ErrNoRows), "read what %s may do", g.Role)
}

const (
	inForceOnDatabase = `SELECT p FROM unnest($2::text[]) p WHERE EXISTS (
		SELECT FROM pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) a
		WHERE datname = current_database() AND a.grantee = $1 AND a.privilege_type = p)`
	inForceOnSchema = `SELECT p FROM unnest($2::text[]) p WHERE EXISTS (
		SELECT FROM pg_namespace n, aclexplode(coalesce(nspacl, acldefault('n', nspowner))) a
		WHERE n.oid = $3 AND a.grantee = $1 AND a.privilege_type = p)`
	// On all that is there, and by default on what each of the owners makes.
	inForceInSchema = `SELECT p FROM unnest($2::text[]) p WHERE NOT EXISTS (
		SELECT FROM pg_class c WHERE relnamespace = $3 AND relkind::text = ANY($4::text[]) AND NOT EXISTS (
			SELECT FROM aclexplode(coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner))) a
			WHERE a.grantee = $1 AND a.privilege_type = p))
		AND NOT EXISTS (SELECT FROM unnest($5::text[]) o WHERE NOT EXISTS (
			SELECT FROM pg_default_acl d JOIN pg_roles r ON r.oid = defaclrole, aclexplode(defaclacl) a
			WHERE rolname = o AND defaclnamespace = $3 AND defaclobjtype::text = $6 AND a.grantee = $1 AND a.privilege_type = p))`
)

// look leaves the privileges that are in force of those that g has or, for an import, of all
// that there are.
func (g *GrantState) look(ctx context.Context, conn *pgx.Conn, all bool) (gone bool, err error) {
	role, schema, gone, err := g.find(ctx, conn)
	if gone || err != nil {
		return gone, err
	}
	if all {
		g.DatabasePrivileges, g.SchemaPrivileges, g.TablePrivileges, g.SequencePrivileges = onDatabases, onSchemas, onTables, onSequences
		var owner string
		if err := conn.QueryRow(ctx, "SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = current_database()").Scan(&owner); err != nil {
			return false, step(err, "read the owner of database %s", g.Database)
		}
		g.ObjectOwners = []string{owner}
	}
	for _, part := range []struct {
		of    *[]string
		query string
		args  []any
	}{
		{&g.DatabasePrivileges, inForceOnDatabase, nil},
		{&g.SchemaPrivileges, inForceOnSchema, []any{schema}},
		{&g.TablePrivileges, inForceInSchema, []any{schema, []string{"r", "v", "m", "p", "f"}, g.ObjectOwners, "r"}},
		{&g.SequencePrivileges, inForceInSchema, []any{schema, []string{"S"}, g.ObjectOwners, "S"}},
	} {
		if len(*part.of) == 0 {
			continue
		}
		rows, err := conn.Query(ctx, part.query, append([]any{role, *part.of}, part.args...)...)
		if err == nil {
			*part.of, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			return false, step(err, "read what %s may do", g.Role)
		}
	}
	nothing := len(g.DatabasePrivileges)+len(g.SchemaPrivileges)+len(g.TablePrivileges)+len(g.SequencePrivileges) == 0
	return nothing, nil
}
