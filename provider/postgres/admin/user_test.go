package admin_test

import (
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

const (
	secret  = "hush-hush-1 'ä\\"
	another = "hush-hush-2"
	exotic  = `O'Neil "the\x; DROP TABLE"`
)

func (w world) logsIn(user, password string) bool {
	_, err := w.pg.As(user, password, "postgres", "SELECT 1")
	return err == nil
}

// role are what PostgreSQL has of a user.
func (w world) role(name string) string {
	w.t.Helper()
	return w.pg.SQL("postgres", "SELECT rolcanlogin, rolcreatedb, rolcreaterole, rolreplication, rolconnlimit, "+
		"ARRAY(SELECT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid ORDER BY 1) FROM pg_roles r WHERE rolname = '"+strings.ReplaceAll(name, "'", "''")+"'")
}

// silent requires no password in the log of the server, which has all statements.
func (w world) silent() {
	w.t.Helper()
	require.Contains(w.t, w.pg.Log(), "PASSWORD 'SCRAM-SHA-256$")
	require.NotContains(w.t, w.pg.Log(), "hush-hush")
}

func TestUserLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pg.SQL("postgres", "CREATE ROLE readers", "CREATE ROLE writers")
	in := object("name", exotic, "password", secret, "memberOf", []string{"writers", "readers"}, "connectionLimit", 5)
	u := w.made("PostgresUser", "app", in)
	assert.Equal(t, exotic, u.id)
	assert.Equal(t, "t|f|f|f|5|{readers,writers}", w.role(exotic))
	assert.True(t, w.logsIn(exotic, secret))
	assert.False(t, w.logsIn(exotic, another))
	u.hidden(secret, localpostgres.Password)
	kept := u.state
	require.NoError(t, u.refresh())
	assert.Equal(t, kept, u.state, "refresh finds nothing")
	assert.Empty(t, u.changes(object("name", exotic, "password", secret, "memberOf", []string{"readers", "writers"}, "connectionLimit", 5)), "their order does not matter")

	more := object("name", exotic, "password", another, "memberOf", []string{"readers"}, "createDatabase", true, "createRole", true, "replication", true, "login", false)
	assert.Equal(t, map[string]p.DiffKind{
		"password": p.Update, "memberOf[0]": p.Delete, "connectionLimit": p.Update, "createDatabase": p.Update, "createRole": p.Update, "replication": p.Update, "login": p.Add,
	}, u.changes(more))
	require.NoError(t, u.update(more))
	assert.Equal(t, "f|t|t|t|-1|{readers}", w.role(exotic))
	u.hidden(another)
	require.NoError(t, u.update(object("name", exotic, "memberOf", []string{"readers"})))
	assert.Equal(t, "f|f|f|f|-1|{readers}", w.role(exotic), "without a password there is no login")
	assert.Empty(t, w.pg.SQL("postgres", "SELECT rolpassword FROM pg_authid WHERE rolname LIKE 'O%'"))
	assert.Equal(t, map[string]p.DiffKind{"name": p.UpdateReplace}, u.changes(object("name", "other", "memberOf", []string{"readers"})))

	require.NoError(t, u.delete())
	assert.Empty(t, w.role(exotic))
	require.NoError(t, u.delete(), "it is gone already")
	require.NoError(t, u.refresh())
	assert.Empty(t, u.id, "refresh says that it is gone")
	w.silent()
}

// TestPasswordRotation has a session go on while the password changes under it.
func TestPasswordRotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.made("PostgresUser", "app", object("password", secret))
	session := w.session("app", secret)
	require.NoError(t, u.update(object("password", another)))
	var n int
	require.NoError(t, session.QueryRow(t.Context(), "SELECT 1").Scan(&n), "open sessions stay")
	assert.True(t, w.logsIn("app", another))
	assert.False(t, w.logsIn("app", secret))
	w.silent()
}

func TestUserDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pg.SQL("postgres", "CREATE ROLE a", "CREATE ROLE b")
	in := object("password", secret, "memberOf", []string{"a"})
	u := w.made("PostgresUser", "app", in)
	w.pg.SQL("postgres", "ALTER ROLE app PASSWORD 'other' CREATEROLE CONNECTION LIMIT 3 NOLOGIN", "REVOKE a FROM app", "GRANT b TO app")
	require.NoError(t, u.refresh())
	assert.Equal(t, map[string]p.DiffKind{"password": p.Add, "memberOf[0]": p.Update, "createRole": p.Update, "connectionLimit": p.Update, "login": p.Delete}, u.changes(in))
	require.NoError(t, u.update(in))
	assert.Equal(t, "t|f|f|f|-1|{a}", w.role("app"))
	assert.True(t, w.logsIn("app", secret))
	require.NoError(t, u.refresh())
	assert.Empty(t, u.changes(in))
}

// TestUserSettings has sessions begin with parameters, also those that are lists of names, and finds what others did to them.
func TestUserSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pg.SQL("postgres", "CREATE ROLE shop_owner")
	shows := func(name string) string {
		value, err := w.pg.As("app", secret, "postgres", "SHOW "+name)
		require.NoError(t, err)
		return value
	}
	in := object("password", secret, "memberOf", []string{"shop_owner"},
		"settings", object("role", "shop_owner", "search_path", `app, "$user", public`, "timezone", "Europe/Berlin", "app.tenant", `a'b\`))
	u := w.made("PostgresUser", "app", in)
	assert.Equal(t, "shop_owner", shows("role"))
	assert.Equal(t, `app, "$user", public`, shows("search_path"))
	assert.Equal(t, "Europe/Berlin", shows("timezone"))
	assert.Equal(t, `a'b\`, shows("app.tenant"))
	kept := u.state
	require.NoError(t, u.refresh())
	assert.Equal(t, kept, u.state, "refresh finds nothing, though PostgreSQL writes TimeZone")

	less := object("password", secret, "memberOf", []string{"shop_owner"}, "settings", object("statement_timeout", "30s", "timezone", "Europe/Berlin"))
	assert.Equal(t, map[string]p.DiffKind{"settings.role": p.Delete, "settings.search_path": p.Delete, `settings["app.tenant"]`: p.Delete, "settings.statement_timeout": p.Add}, u.changes(less))
	require.NoError(t, u.update(less))
	assert.Equal(t, "none", shows("role"))
	assert.Equal(t, "30s", shows("statement_timeout"))

	w.pg.SQL("postgres", "ALTER ROLE app SET work_mem TO '64MB'", "ALTER ROLE app RESET statement_timeout")
	require.NoError(t, u.refresh())
	assert.Equal(t, map[string]p.DiffKind{"settings.work_mem": p.Delete, "settings.statement_timeout": p.Add}, u.changes(less))
	require.NoError(t, u.update(less))
	require.NoError(t, u.refresh())
	assert.Empty(t, u.changes(less))
	require.ErrorContains(t, u.update(object("password", secret, "settings", object("role", "shop_owner"))), "app is no member of shop_owner: give memberOf")
	require.ErrorContains(t, u.update(object("password", secret, "settings", object("statement_timeout", "soon"))), `set statement_timeout of user app: invalid value for parameter "statement_timeout": "soon"`)
	w.Server = newServer(t)
	require.ErrorContains(t, w.of("PostgresUser", "app").create(in), "already exists", "with other settings")
	require.NoError(t, w.of("PostgresUser", "app").create(less), "that of an update that was killed")
}

// TestUserKilled has the state not know what was made: it is taken back if it is the same.
func TestUserKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pg.SQL("postgres", "CREATE ROLE a")
	in := object("password", secret, "memberOf", []string{"a"})
	w.made("PostgresUser", "app", in)
	w.Server = newServer(t)
	require.NoError(t, w.of("PostgresUser", "app").create(in))
	for why, other := range map[string]any{
		"another password": object("password", another, "memberOf", []string{"a"}), "no password": object("login", true, "memberOf", []string{"a"}),
		"no member": object("password", secret), "a limit": object("password", secret, "memberOf", []string{"a"}, "connectionLimit", 1),
	} {
		w.Server = newServer(t)
		o := w.of("PostgresUser", "app")
		err := o.create(value(other).AsMap())
		require.EqualError(t, err, "user app already exists: import it with `pulumi import quorum:index:PostgresUser NAME app`, or delete it", why)
		assert.False(t, o.failed, why)
	}
	assert.True(t, w.logsIn("app", secret))
	require.ErrorContains(t, w.of("PostgresUser", "twin").create(object("name", "app", "memberOf", []string{"a"})), "already exists", "of two in a program one has it")
}

// TestUserIsMadeAsAWhole requires nothing to stay of a creation or a change that fails.
func TestUserIsMadeAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.of("PostgresUser", "app")
	require.EqualError(t, o.create(object("password", secret, "memberOf", []string{"late"})), `make user app a member of late: role "late" does not exist`)
	assert.Empty(t, w.role("app"))
	require.NoError(t, o.create(object("password", secret)))
	require.Error(t, o.update(object("password", another, "memberOf", []string{"late"})))
	assert.False(t, o.failed)
	assert.True(t, w.logsIn("app", secret))
}

// TestUserWhoOwns requires a user who owns something to stay, unless a stack is destroyed.
func TestUserWhoOwns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.made("PostgresUser", "app", object("password", secret))
	w.pg.SQL("postgres", "CREATE DATABASE app OWNER app")
	err := u.delete()
	require.ErrorContains(t, err, `role "app" cannot be dropped because some objects depend on it: owner of database app`)
	require.ErrorContains(t, err, "REASSIGN OWNED")
	require.NoError(t, u.destroy())
	assert.NotEmpty(t, w.role("app"))
}
