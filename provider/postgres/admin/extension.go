package admin

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// builtIn is the extension that databases have from their template.
const builtIn = "plpgsql"

// extend gives the database the extensions wanted, and takes those away that only d has.
func (d *DatabaseState) extend(ctx context.Context, want DatabaseState) error {
	if slices.EqualFunc(d.Extensions, want.Extensions, Extension.same) {
		return nil
	}
	before := d.Extensions
	return with(ctx, want.Connection, want.Name, func(ctx context.Context, conn *pgx.Conn) error {
		d.Extensions = slices.Clone(before)
		for _, e := range want.Extensions {
			if i := slices.IndexFunc(d.Extensions, e.named); i >= 0 && d.Extensions[i].same(e) {
				continue
			}
			if err := e.put(ctx, conn); err != nil {
				return fmt.Errorf("extension %s of database %s: %w", e.Name, want.Name, err)
			}
			d.Extensions = append(slices.DeleteFunc(d.Extensions, e.named), e)
		}
		for _, e := range slices.Clone(d.Extensions) {
			if slices.ContainsFunc(want.Extensions, e.named) {
				continue
			}
			if _, err := conn.Exec(ctx, "DROP EXTENSION IF EXISTS "+quoted(e.Name)); err != nil {
				return fmt.Errorf("delete extension %s of database %s: %w", e.Name, want.Name, err)
			}
			d.Extensions = slices.DeleteFunc(d.Extensions, e.named)
		}
		return nil
	})
}

func (e Extension) same(other Extension) bool {
	return e.Name == other.Name && ptr.Value(e.Schema) == ptr.Value(other.Schema) && ptr.Value(e.Version) == ptr.Value(other.Version)
}

func (e Extension) named(other Extension) bool { return e.Name == other.Name }

// ownPath has a transaction find what comes without a schema where other sessions of the database do.
const ownPath = `SELECT set_config('search_path', coalesce((SELECT substr(c, length('search_path=') + 1) FROM pg_db_role_setting, unnest(setconfig) AS c
	WHERE setrole = 0 AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) AND c LIKE 'search_path=%'), '"$user", public'), true)`

// put creates the extension, with those that it needs, or changes the one that is there.
func (e Extension) put(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		create := "CREATE EXTENSION IF NOT EXISTS " + quoted(e.Name)
		if e.Schema != nil {
			if _, err := tx.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+quoted(*e.Schema)); err != nil {
				return err
			}
			create += " SCHEMA " + quoted(*e.Schema)
		}
		if e.Schema == nil { // it comes where the database's own path leads
			if _, err := tx.Exec(ctx, ownPath); err != nil {
				return err
			}
		}
		if e.Version != nil {
			create += " VERSION " + quoted(*e.Version)
		}
		if _, err := tx.Exec(ctx, create+" CASCADE"); isCode(err, featureUnsupported, undefinedFile) {
			return fmt.Errorf("%w. The nodes must have its package: postgres.extensions of a PostgresCluster installs it", err)
		} else if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "SET LOCAL search_path = pg_catalog"); err != nil {
			return err
		}
		now := Extension{Schema: to(""), Version: to("")}
		err := tx.QueryRow(ctx, "SELECT extversion, nspname::text FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = $1", e.Name).
			Scan(now.Version, now.Schema)
		if err != nil {
			return err
		}
		if e.Version != nil && *e.Version != *now.Version {
			if _, err := tx.Exec(ctx, "ALTER EXTENSION "+quoted(e.Name)+" UPDATE TO "+quoted(*e.Version)); err != nil {
				return err
			}
		}
		if e.Schema != nil && *e.Schema != *now.Schema {
			_, err = tx.Exec(ctx, "ALTER EXTENSION "+quoted(e.Name)+" SET SCHEMA "+quoted(*e.Schema))
		}
		return err
	})
}

// lookAtExtensions reads those that the program has or, if all are wanted, whichever are there.
func (d *DatabaseState) lookAtExtensions(ctx context.Context, conn *pgx.Conn, all bool) error {
	rows, err := conn.Query(ctx, "SELECT extname::text, extversion, nspname::text FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace ORDER BY extname")
	if err != nil {
		return step(err, "read the extensions of database %s", d.Name)
	}
	defer rows.Close()
	known, there := d.Extensions, map[string]Extension{}
	d.Extensions = []Extension{}
	for rows.Next() {
		e := Extension{Schema: to(""), Version: to("")}
		if err := rows.Scan(&e.Name, e.Version, e.Schema); err != nil {
			return step(err, "read the extensions of database %s", d.Name)
		}
		there[e.Name] = e
		if all && e.Name != builtIn {
			d.Extensions = append(d.Extensions, Extension{Name: e.Name})
		}
	}
	for _, e := range known {
		now, has := there[e.Name]
		if !has {
			continue
		}
		if e.Schema == nil {
			now.Schema = nil
		}
		if e.Version == nil {
			now.Version = nil
		}
		d.Extensions = append(d.Extensions, now)
	}
	return step(rows.Err(), "read the extensions of database %s", d.Name)
}
