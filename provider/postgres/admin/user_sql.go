package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// quoted is a name as SQL has it.
func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal is a text as SQL has it, whatever standard_conforming_strings is.
func literal(text string) string {
	text = strings.ReplaceAll(text, "'", "''")
	if strings.Contains(text, `\`) {
		return " E'" + strings.ReplaceAll(text, `\`, `\\`) + "'"
	}
	return "'" + text + "'"
}

// sameBut reports whether nothing but the connection differs.
func (u UserState) sameBut(other UserState) bool {
	u.Connection = other.Connection
	return object.Alike(u.MemberOf, other.MemberOf) && maps.Equal(u.Settings, other.Settings) && reflect.DeepEqual(u.onlyItself(), other.onlyItself())
}

func (u UserState) onlyItself() UserState { u.MemberOf, u.Settings = nil, nil; return u }

// options are those of CREATE ROLE and ALTER ROLE that differ from what was.
func (u UserState) options(was *UserState) (options []string) {
	flag := func(option string, want bool, had func(UserState) bool) {
		if was != nil && had(*was) == want {
			return
		}
		if !want {
			option = "NO" + option
		}
		options = append(options, option)
	}
	flag("LOGIN", u.Login, func(u UserState) bool { return u.Login })
	flag("CREATEDB", u.CreateDatabase, func(u UserState) bool { return u.CreateDatabase })
	flag("CREATEROLE", u.CreateRole, func(u UserState) bool { return u.CreateRole })
	flag("REPLICATION", u.Replication, func(u UserState) bool { return u.Replication })
	if was == nil || was.ConnectionLimit != u.ConnectionLimit {
		options = append(options, fmt.Sprintf("CONNECTION LIMIT %d", u.ConnectionLimit))
	}
	return options
}

// password is the option that sets it, as a verifier.
func (u UserState) password() (string, error) {
	if u.Password == nil {
		return "PASSWORD NULL", nil
	}
	made, err := verifier(*u.Password)
	return "PASSWORD " + literal(made), err
}

// create creates the user with all that it is, or not at all.
func (u UserState) create(ctx context.Context, conn *pgx.Conn) error {
	password, err := u.password()
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		options := append(u.options(nil), password)
		if _, err := tx.Exec(ctx, "CREATE ROLE "+quoted(u.Name)+" "+strings.Join(options, " ")); err != nil {
			return step(err, "create user %s", u.Name)
		}
		if err := u.join(ctx, tx, nil); err != nil {
			return err
		}
		return u.set(ctx, tx, nil)
	})
}

func (u UserState) change(ctx context.Context, conn *pgx.Conn, was UserState) error {
	options := u.options(&was)
	if ptr.Value(was.Password) != ptr.Value(u.Password) {
		// Import and refresh do not know it: it may be right already.
		if same, err := u.hasPassword(ctx, conn); unlessCode(err, mayNot) != nil {
			return err
		} else if !same {
			password, err := u.password()
			if err != nil {
				return err
			}
			options = append(options, password)
		}
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if len(options) > 0 {
			if _, err := tx.Exec(ctx, "ALTER ROLE "+quoted(u.Name)+" "+strings.Join(options, " ")); err != nil {
				return step(err, "change user %s", u.Name)
			}
		}
		if err := u.join(ctx, tx, was.MemberOf); err != nil {
			return err
		}
		return u.set(ctx, tx, was.Settings)
	})
}

// join makes the user a member of the roles wanted, and of none other of those that were.
func (u UserState) join(ctx context.Context, tx pgx.Tx, were []string) error {
	for _, role := range u.MemberOf {
		if slices.Contains(were, role) {
			continue
		}
		if _, err := tx.Exec(ctx, "GRANT "+quoted(role)+" TO "+quoted(u.Name)); err != nil {
			return step(err, "make user %s a member of %s", u.Name, role)
		}
	}
	for _, role := range were {
		if slices.Contains(u.MemberOf, role) {
			continue
		}
		if _, err := tx.Exec(ctx, "REVOKE "+quoted(role)+" FROM "+quoted(u.Name)); err != nil {
			return step(err, "end the membership of user %s in %s", u.Name, role)
		}
	}
	return nil
}

// look reads the user. Its password is kept if it is in force.
func (u *UserState) look(ctx context.Context, conn *pgx.Conn) (gone bool, err error) {
	err = conn.QueryRow(ctx, `SELECT rolcanlogin, rolconnlimit, rolcreatedb, rolcreaterole, rolreplication, ARRAY(
		SELECT DISTINCT g.rolname::text FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid ORDER BY 1)
		FROM pg_roles r WHERE rolname = $1`, u.Name).
		Scan(&u.Login, &u.ConnectionLimit, &u.CreateDatabase, &u.CreateRole, &u.Replication, &u.MemberOf)
	if err != nil {
		return errors.Is(err, pgx.ErrNoRows), step(object.Ignore(err, pgx.ErrNoRows), "read user %s", u.Name)
	}
	if err = u.lookAtSettings(ctx, conn); err != nil {
		return false, err
	}
	if u.Password != nil {
		var same bool
		if same, err = u.hasPassword(ctx, conn); !same && err == nil {
			u.Password = nil
		}
	}
	return false, unlessCode(err, mayNot)
}

// hasPassword reports whether the user has just that password, or none if that is nil. Who
// is no superuser is refused.
func (u UserState) hasPassword(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var kept *string
	err := conn.QueryRow(ctx, "SELECT rolpassword FROM pg_authid WHERE rolname = $1", u.Name).Scan(&kept)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil:
		return false, step(err, "read whether the password of user %s is in force", u.Name)
	case kept == nil || u.Password == nil:
		return kept == nil && u.Password == nil, nil
	}
	return verifies(*kept, u.Name, *u.Password), nil
}

// isThere reports whether there is a user who is all that is wanted.
func (u UserState) isThere(ctx context.Context, conn *pgx.Conn) (bool, error) {
	now := u
	if gone, err := now.look(ctx, conn); gone || err != nil || !now.sameBut(u) {
		return false, err
	}
	same, err := u.hasPassword(ctx, conn)
	return same, unlessCode(err, mayNot)
}

// drop deletes the user. In a stack that is destroyed one stays who owns what stays.
func (u UserState) drop(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "DROP ROLE IF EXISTS "+quoted(u.Name))
	if !isCode(err, dependentsExist) {
		return step(err, "delete user %s", u.Name)
	}
	if !running.Program(ctx) {
		p.GetLogger(ctx).Warning(fmt.Sprintf("%s was not deleted from PostgreSQL, but removed from the state, as when the stack is destroyed: %s", u.object(), said(err)))
		return nil
	}
	return fmt.Errorf("delete user %s: %w. Give what it owns to another with REASSIGN OWNED, and take back what it may do with DROP OWNED, in each of these databases", u.Name, said(err))
}
