package admin_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// database is what PostgreSQL has of one.
func (w world) database(name string) string {
	w.t.Helper()
	return w.pg.SQL("postgres", "SELECT pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate, datconnlimit FROM pg_database WHERE datname = '"+name+"'")
}

func (w world) extensions(database string) string {
	w.t.Helper()
	return w.pg.SQL(database, "SELECT string_agg(extname || ' ' || extversion || ' ' || nspname, ', ' ORDER BY extname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname <> 'plpgsql'")
}

func extensions(all ...property.Map) property.Value { return value(all) }

func TestDatabaseLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pg.SQL("postgres", "CREATE ROLE app", "CREATE ROLE other")
	in := object("owner", "app", "encoding", "utf-8", "locale", "C.UTF-8", "connectionLimit", 7)
	d := w.made("PostgresDatabase", "shop", in)
	assert.Equal(t, "app|UTF8|C.UTF-8|7", w.database("shop"))
	d.hidden(localpostgres.Password)
	kept := d.state
	require.NoError(t, d.refresh())
	assert.Equal(t, kept, d.state, "refresh finds nothing")
	assert.Empty(t, d.changes(in))

	more := object("owner", "other", "encoding", "utf-8", "locale", "C.UTF-8")
	assert.Equal(t, map[string]p.DiffKind{"owner": p.Update, "connectionLimit": p.Update}, d.changes(more))
	require.NoError(t, d.update(more))
	assert.Equal(t, "other|UTF8|C.UTF-8|-1", w.database("shop"))
	assert.Equal(t, map[string]p.DiffKind{"encoding": p.Delete, "locale": p.Delete}, d.changes(object("owner", "other")), "what is left open is no change")

	w.pg.SQL("postgres", "ALTER DATABASE shop OWNER TO app", "ALTER DATABASE shop CONNECTION LIMIT 3")
	require.NoError(t, d.refresh())
	assert.Equal(t, map[string]p.DiffKind{"owner": p.Update, "connectionLimit": p.Update}, d.changes(more), "drift")
	require.NoError(t, d.update(more))
	assert.Equal(t, "other|UTF8|C.UTF-8|-1", w.database("shop"))
	w.pg.SQL("postgres", "DROP DATABASE shop")
	require.NoError(t, d.refresh())
	assert.Empty(t, d.id, "refresh says that it is gone")
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := object("extensions", extensions(object("name", "pg_trgm", "version", "1.3"), object("name", "earthdistance", "schema", "geo")))
	d := w.made("PostgresDatabase", "shop", in)
	assert.Equal(t, "cube 1.5 geo, earthdistance 1.1 geo, pg_trgm 1.3 public", w.extensions("shop"))
	require.NoError(t, d.refresh())
	assert.Empty(t, d.changes(in), "what another needs is not drift")

	more := object("extensions", extensions(object("name", "pg_trgm", "version", "1.6"), object("name", "hstore")))
	require.NoError(t, d.update(more))
	assert.Equal(t, "cube 1.5 geo, hstore 1.8 public, pg_trgm 1.6 public", w.extensions("shop"))
	w.pg.SQL("shop", "DROP EXTENSION hstore", "CREATE SCHEMA s", "ALTER EXTENSION pg_trgm SET SCHEMA s", "CREATE EXTENSION citext")
	require.NoError(t, d.refresh())
	assert.Equal(t, map[string]p.DiffKind{"extensions[1]": p.Add}, d.changes(more))
	require.NoError(t, d.update(more))

	in = object("extensions", extensions(object("name", "hstore"), object("name", "nothing"), object("name", "citext")))
	err := d.update(in)
	require.ErrorContains(t, err, `extension nothing of database shop: extension "nothing" is not available`)
	require.ErrorContains(t, err, "The nodes must have its package: postgres.extensions of a PostgresCluster installs it")
	w.pg.SQL("shop", "CREATE TABLE kept (h hstore)")
	require.ErrorContains(t, d.update(object()), "delete extension hstore of database shop: cannot drop extension hstore because other objects depend on it: column h of table public.kept depends on type public.hstore")
}

// TestDatabaseHalfMade has its extensions fail: the database stays, and the next update goes on.
func TestDatabaseHalfMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.of("PostgresDatabase", "shop")
	require.Error(t, d.create(object("extensions", extensions(object("name", "hstore"), object("name", "nothing")))))
	assert.True(t, d.failed)
	assert.Equal(t, "shop", d.id)
	in := object("extensions", extensions(object("name", "hstore"), object("name", "citext")))
	require.NoError(t, d.update(in))
	assert.False(t, d.failed)
	assert.Equal(t, "citext 1.6 public, hstore 1.8 public", w.extensions("shop"))

	w.Server = newServer(t)
	again := w.of("PostgresDatabase", "shop") // which the state does not know
	w.pg.SQL("shop", "DROP EXTENSION citext", "CREATE TABLE kept ()")
	require.NoError(t, again.create(in))
	assert.Equal(t, "citext 1.6 public, hstore 1.8 public", w.extensions("shop"))
	for why, other := range map[string]property.Map{"an owner": object("owner", "pg_monitor"), "a limit": object("connectionLimit", 1), "an encoding": object("encoding", "LATIN1", "locale", "C")} {
		w.Server = newServer(t)
		require.EqualError(t, w.of("PostgresDatabase", "shop").create(other), "database shop already exists: import it with `pulumi import quorum:index:PostgresDatabase NAME shop`, or delete it", why)
	}
	assert.Equal(t, "0", w.pg.SQL("shop", "SELECT count(*) FROM kept"))
}

func TestDatabaseByICU(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := object("icuLocale", "de-AT")
	d := w.made("PostgresDatabase", "shop", in)
	assert.Equal(t, "a,ä,b", w.pg.SQL("shop", "SELECT string_agg(x, ',' ORDER BY x) FROM unnest(ARRAY['b', 'ä', 'a']) x"))
	require.NoError(t, d.refresh())
	assert.Empty(t, d.changes(in))
}

// TestDatabaseDeletionCut has a deletion be interrupted: PostgreSQL keeps what is left, which
// is of no use, and the next creation clears it away.
func TestDatabaseDeletionCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.made("PostgresDatabase", "shop", object())
	w.pg.SQL("postgres", "UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'shop'")
	require.NoError(t, d.refresh())
	assert.Empty(t, d.id)
	require.NoError(t, d.create(object()))
	assert.Equal(t, "postgres|UTF8|C|-1", w.database("shop"))
}

// TestDataIsKept requires consent before a database is deleted: in preview where that is a
// change, in the update where it is taken out of the program, and never in silence.
func TestDataIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.made("PostgresDatabase", "shop", object("encoding", "UTF8"))
	for path, change := range map[string]property.Map{
		"name": object("encoding", "UTF8", "name", "other"), "encoding": object("encoding", "LATIN1"), "locale": object("encoding", "UTF8", "locale", "C"), "icuLocale": object("encoding", "UTF8", "icuLocale", "en"),
	} {
		_, refused := d.check(d.inputs, change)
		assert.Equal(t, []string{path + ": this change deletes database shop, and creates it anew without its data. Take it back, or allow the loss with allowDataLoss: true"}, refused)
		_, refused = d.check(d.inputs, change.Set("allowDataLoss", property.New(true)))
		assert.Empty(t, refused)
	}
	require.ErrorContains(t, d.delete(), "database shop was not deleted: its data would be lost. To delete it, have it in the program with allowDataLoss: true")
	require.NoError(t, d.destroy())
	assert.NotEmpty(t, w.database("shop"), "the cluster may belong to another stack")

	anew := object("encoding", "LATIN1", "locale", "C", "allowDataLoss", true)
	assert.Equal(t, p.UpdateReplace, d.changes(anew)["encoding"])
	checked := d.checked(anew)
	diff, err := d.w.Diff(p.DiffRequest{Urn: d.urn(), ID: d.id, State: d.state, OldInputs: d.inputs, Inputs: checked})
	require.NoError(t, err)
	assert.True(t, diff.DeleteBeforeReplace, "they have one name")
	d.inputs = property.Map{} // the engine checks it again as one that is new
	d.checked(anew)
	w.session("postgres", localpostgres.Password) // others do not hinder it
	require.NoError(t, d.erase())
	assert.Empty(t, w.database("shop"))
	require.NoError(t, d.create(anew))
	assert.Equal(t, "postgres|LATIN1|C|-1", w.database("shop"))
	require.NoError(t, d.delete(), "the state has the consent")
	assert.Empty(t, w.database("shop"))
}
