package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// halfDeleted is what PostgreSQL has as the connection limit of a database of which a
// deletion was interrupted: it can only be deleted.
const halfDeleted = -2

const template0 = "template0"

func (d DatabaseState) create(ctx context.Context, conn *pgx.Conn) error {
	var limit int
	err := conn.QueryRow(ctx, "SELECT datconnlimit FROM pg_database WHERE datname = $1", d.Name).Scan(&limit)
	if err == nil && limit == halfDeleted {
		if _, err = conn.Exec(ctx, "DROP DATABASE "+quoted(d.Name)); err != nil {
			return step(err, "delete what is left of database %s", d.Name)
		}
	}
	if err = object.Ignore(err, pgx.ErrNoRows); err != nil {
		return step(err, "read database %s", d.Name)
	}
	statement := "CREATE DATABASE " + quoted(d.Name) + " OWNER " + quoted(d.Owner)
	template := ptr.Value(d.Template)
	if d.Template == nil && (d.Encoding != nil || d.Locale != nil || d.ICULocale != nil) {
		template = template0 // another than that of template1 is taken with this one only
	}
	if template != "" {
		statement += " TEMPLATE " + quoted(template)
	}
	if d.Encoding != nil {
		statement += " ENCODING " + literal(*d.Encoding)
	}
	if d.Locale != nil {
		statement += " LOCALE " + literal(*d.Locale)
	}
	if d.ICULocale != nil {
		statement += " LOCALE_PROVIDER icu ICU_LOCALE " + literal(*d.ICULocale)
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("%s CONNECTION LIMIT %d", statement, d.ConnectionLimit))
	return step(err, "create database %s", d.Name)
}

// change changes what can be changed of a database that is there.
func (d *DatabaseState) change(ctx context.Context, conn *pgx.Conn, want DatabaseState) error {
	if d.Owner != want.Owner {
		if _, err := conn.Exec(ctx, "ALTER DATABASE "+quoted(d.Name)+" OWNER TO "+quoted(want.Owner)); err != nil {
			return step(err, "change the owner of database %s to %s", d.Name, want.Owner)
		}
		d.Owner = want.Owner
	}
	if d.ConnectionLimit != want.ConnectionLimit {
		if _, err := conn.Exec(ctx, fmt.Sprintf("ALTER DATABASE %s CONNECTION LIMIT %d", quoted(d.Name), want.ConnectionLimit)); err != nil {
			return step(err, "change the connection limit of database %s", d.Name)
		}
		d.ConnectionLimit = want.ConnectionLimit
	}
	return nil
}

// look reads the database, but for its extensions.
func (d *DatabaseState) look(ctx context.Context, conn *pgx.Conn) (gone bool, err error) {
	var encoding, locale string
	err = conn.QueryRow(ctx, "SELECT pg_get_userbyid(datdba)::text, pg_encoding_to_char(encoding)::text, datcollate::text, datconnlimit, "+
		"coalesce(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale') FROM pg_database d WHERE datname = $1", d.Name).
		Scan(&d.Owner, &encoding, &locale, &d.ConnectionLimit, &d.ICULocale)
	d.Encoding, d.Locale = &encoding, &locale
	gone = errors.Is(err, pgx.ErrNoRows) || err == nil && d.ConnectionLimit == halfDeleted
	return gone, step(object.Ignore(err, pgx.ErrNoRows), "read database %s", d.Name)
}

// isThere reports whether there is a database as it is wanted, but for its extensions.
func (d DatabaseState) isThere(ctx context.Context, conn *pgx.Conn) (bool, error) {
	now := d
	if gone, err := now.look(ctx, conn); gone || err != nil {
		return false, err
	}
	return now.Owner == d.Owner && now.ConnectionLimit == d.ConnectionLimit &&
		(d.Encoding == nil || sameEncoding(*d.Encoding, *now.Encoding)) && (d.Locale == nil || *d.Locale == *now.Locale) &&
		(d.ICULocale == nil || *d.ICULocale == ptr.Value(now.ICULocale)), nil
}

// sameEncoding compares as PostgreSQL does: utf-8 is UTF8.
func sameEncoding(a, b string) bool {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, strings.ToLower(s))
	}
	return plain(a) == plain(b)
}
