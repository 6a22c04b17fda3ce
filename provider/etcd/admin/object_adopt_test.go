package admin_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// killed makes a resource in a run that is killed before the state is saved,
// and gives the world of the next run.
func (w world) killed(kind string, in property.Map) world {
	w.t.Helper()
	w.made(kind, in)
	w.Server = newServer(w.t)
	return w
}

// TestKilledAfterCreation requires the next update to go on with what was made.
func TestKilledAfterCreation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("a", "b")

	w = w.killed("EtcdKey", keyed(secret))
	k := w.made("EtcdKey", keyed(secret))
	k.hidden(secret)
	require.NoError(t, k.update(keyed(another)), "its revision is known")

	permissions := role(onPrefix("/a/", "read"), onKey("/b", "write"))
	w = w.killed("EtcdRole", permissions)
	r := w.made("EtcdRole", permissions)
	require.NoError(t, r.refresh())
	assert.Empty(t, r.changes(permissions))

	whole := object("password", secret, "roles", []string{"a", "b"})
	w = w.killed("EtcdUser", whole)
	_, err := w.root.UserRevokeRole(t.Context(), "app", "b") // the kill came before this one was granted
	require.NoError(t, err)
	u := w.made("EtcdUser", whole)
	assert.Equal(t, []string{"a", "b"}, w.rolesOf("app"))
	u.hidden(secret)
	require.NoError(t, u.delete())

	without := object("roles", []string{"a"})
	w = w.killed("EtcdUser", without)
	w.made("EtcdUser", without)
	_, err = w.create("EtcdUser", whole)
	require.ErrorContains(t, err, "already exists", "who has no password is another one")
}

// TestOnlyWhatIsTheSameIsGoneOnWith requires whatever differs left to its owner.
func TestOnlyWhatIsTheSameIsGoneOnWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("a", "b")
	refused := func(kind string, in property.Map, why string) {
		t.Helper()
		o, err := w.create(kind, in)
		require.ErrorContains(t, err, " already exists: import it", why)
		assert.False(t, o.failed, why)
	}

	w.put(secret)
	w.put(secret)
	refused("EtcdKey", keyed(secret), "it was written again since it was made")
	lease, err := w.root.Grant(t.Context(), 600)
	require.NoError(t, err)
	_, err = w.root.Delete(t.Context(), "/app")
	require.NoError(t, err)
	_, err = w.root.Put(t.Context(), "/app", secret, clientv3.WithLease(lease.ID))
	require.NoError(t, err)
	refused("EtcdKey", keyed(secret), "it will go by itself")

	w = w.killed("EtcdRole", role(onKey("/a", "read")))
	refused("EtcdRole", role(onKey("/a", "readwrite")), "it may do less")
	refused("EtcdRole", role(onKey("/a", "read"), onKey("/b", "read")), "it may do less")
	refused("EtcdRole", role(), "it may do more")

	w = w.killed("EtcdUser", object("password", secret, "roles", []string{"a"}))
	refused("EtcdUser", object("password", another, "roles", []string{"a"}), "another password")
	refused("EtcdUser", object("password", secret, "roles", []string{"b"}), "another role")
	refused("EtcdUser", object("roles", []string{"a"}), "a password")
	assert.True(t, w.logsIn("app", secret))
	assert.Equal(t, []string{"a"}, w.rolesOf("app"))
}

// TestReplacedByItself has the engine replace a resource under the same name
// and delete the old one afterwards, in this run or, if it is killed, in the
// next: nothing is lost.
func TestReplacedByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := object("password", secret)
	old := w.made("EtcdUser", in)
	w.Server = newServer(t)
	w.made("EtcdUser", in)
	old.w = w
	require.NoError(t, old.erase())
	assert.True(t, w.logsIn("app", secret))

	old.w.Server = newServer(t)
	check := func(before property.Map) {
		t.Helper()
		_, err := old.w.Check(p.CheckRequest{Urn: urnOf("EtcdUser"), State: before, Inputs: old.inputs})
		require.NoError(t, err)
	}
	check(old.inputs)
	require.NoError(t, old.erase())
	assert.True(t, w.logsIn("app", secret), "the new one is in the state")
	check(property.Map{})
	require.NoError(t, old.erase())
	assert.False(t, w.logsIn("app", secret), "it is deleted before it is created again")
}

// TestTwoOfOneName requires the second resource of a program refused, also where
// it would make the same.
func TestTwoOfOneName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.checkedAs("other", "EtcdKey", keyed(secret))
	w.made("EtcdKey", keyed(secret))
	_, err := w.create("EtcdKey", keyed(secret))
	require.ErrorContains(t, err, "key /app already exists")
}

// TestAnotherNameInTheProgram: the resource is renamed in the program, and what
// it is of in etcd keeps its name.
func TestAnotherNameInTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := object("name", "app", "password", secret)
	old := w.made("EtcdUser", in)
	w.Server = newServer(t)
	checked := w.checkedAs("renamed", "EtcdUser", in)
	_, err := w.Create(p.CreateRequest{Urn: named("renamed", "EtcdUser"), Properties: checked})
	require.NoError(t, err)
	old.w = w
	require.NoError(t, old.erase())
	assert.True(t, w.logsIn("app", secret), "it belongs to the new resource")
	require.NoError(t, old.elsewhere().erase())
	assert.Nil(t, w.rolesOf("app"), "without a program it goes")
}
