package admin_test

import (
	"net"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// imported is a resource that is known by its id only or, with a connection, a creation by that.
func (w world) imported(kind, id string, connection property.Map) (*one, error) {
	o := &one{w: w, kind: kind, name: id, id: id}
	if connection.Len() > 0 {
		o.w.Server = newServer(w.t) // without a program it does not wait long
		_, err := o.w.Create(p.CreateRequest{Urn: o.urn(), Properties: object("name", id, "connection", connection)})
		return o, err
	}
	return o, o.refresh()
}

// TestImport has the connection that psql would take, from the environment.
func TestImport(t *testing.T) {
	w := newWorld(t)
	w.shop()
	_, err := w.imported("PostgresUser", "app", property.Map{})
	require.ErrorContains(t, err, "to import, set the environment variables by which psql reaches PostgreSQL: PGHOST")
	host, port, err := net.SplitHostPort(w.pg.Endpoint())
	require.NoError(t, err)
	for name, to := range map[string]string{"PGHOST": host, "PGPORT": port, "PGPASSWORD": localpostgres.Password, "PGSSLROOTCERT": w.pg.Dir + "/server.crt"} {
		t.Setenv(name, to)
	}
	by := w.connection()

	u, err := w.imported("PostgresUser", "app", property.Map{})
	require.NoError(t, err)
	u.hidden(localpostgres.Password)
	assert.True(t, u.inputs.Get("connection").AsMap().Get("password").IsNull(), "it is printed for the program")
	in := object("name", "app", "password", secretOf("app"), "connection", by)
	assert.Equal(t, map[string]p.DiffKind{"connection.password": p.Add, "password": p.Add, "login": p.Delete}, without(u.changes(in), "connectionLimit", "createDatabase", "createRole", "replication"))
	before := w.pg.SQL("postgres", "SELECT rolpassword FROM pg_authid WHERE rolname = 'app'")
	require.NoError(t, u.update(in))
	assert.Equal(t, before, w.pg.SQL("postgres", "SELECT rolpassword FROM pg_authid WHERE rolname = 'app'"), "it is the password already")

	d, err := w.imported("PostgresDatabase", "shop", property.Map{})
	require.NoError(t, err)
	assert.Equal(t, "app UTF8 C", d.inputs.Get("owner").AsString()+" "+d.inputs.Get("encoding").AsString()+" "+d.inputs.Get("locale").AsString())
	require.NoError(t, d.update(object("name", "shop", "owner", "app", "connection", by)), "the rest may be left open")

	w.made("PostgresGrant", "g", reader("access", "read-write"))
	w.Server = newServer(t)
	g, err := w.imported("PostgresGrant", "shop/public/reader", property.Map{})
	require.NoError(t, err)
	assert.Equal(t, "read-write", g.inputs.Get("access").AsString())
	require.NoError(t, g.update(reader("access", "read-only", "connection", by)))
	assert.Equal(t, []bool{true, false}, w.may(readOld, writeOld))
	_, err = w.imported("PostgresGrant", "shop/reader", property.Map{})
	require.ErrorContains(t, err, "a PostgresGrant is imported by DATABASE/SCHEMA/ROLE")

	for kind, id := range map[string]string{"PostgresUser": "nobody", "PostgresDatabase": "nothing", "PostgresGrant": "nothing/public/nobody"} {
		none, err := w.imported(kind, id, property.Map{})
		require.NoError(t, err, kind)
		assert.Empty(t, none.id, "there is none")
	}
}

// without are changes but for those of defaults, which an import does not have.
func without(changes map[string]p.DiffKind, paths ...string) map[string]p.DiffKind {
	for _, path := range paths {
		delete(changes, path)
	}
	return changes
}
