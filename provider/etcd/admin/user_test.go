package admin_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

const (
	secret  = "hush-hush-1"
	another = "hush-hush-2"
)

// rolesOf are the roles of a user, or nil if there is none.
func (w world) rolesOf(user string) []string {
	w.t.Helper()
	found, err := w.root.UserGet(w.t.Context(), user)
	if err != nil {
		require.ErrorContains(w.t, err, "user name not found")
		return nil
	}
	return append([]string{}, found.Roles...)
}

func (w world) logsIn(user, password string) bool {
	_, err := w.root.Authenticate(w.t.Context(), user, password)
	return err == nil
}

func (w world) addRoles(names ...string) {
	w.t.Helper()
	for _, name := range names {
		_, err := w.root.RoleAdd(w.t.Context(), name)
		require.NoError(w.t, err)
	}
}

func TestUserLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("a", "b", "c")
	u := w.made("EtcdUser", object("password", secret, "roles", []string{"b", "a"}))
	assert.Equal(t, "app", u.id, "the name of the resource")
	assert.Equal(t, []string{"a", "b"}, w.rolesOf("app"))
	assert.True(t, w.logsIn("app", secret))
	u.hidden(secret, embedetcd.RootPassword)
	assert.Empty(t, u.changes(object("password", secret, "roles", []string{"a", "b"})), "their order does not matter")

	more := object("password", another, "roles", []string{"c", "a"})
	assert.Equal(t, map[string]p.DiffKind{"password": p.Update, "roles[0]": p.Update}, u.changes(more))
	require.NoError(t, u.update(more))
	assert.Equal(t, []string{"a", "c"}, w.rolesOf("app"))
	assert.True(t, w.logsIn("app", another))
	u.hidden(another)

	assert.Equal(t, map[string]p.DiffKind{"name": p.UpdateReplace}, u.changes(more.Set("name", property.New("other"))))

	require.NoError(t, u.delete())
	assert.Nil(t, w.rolesOf("app"))
	require.NoError(t, u.delete(), "it is gone already")
	require.NoError(t, u.refresh())
	assert.Empty(t, u.id, "refresh says that it is gone")
}

func TestUserIsNotTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.root.UserAdd(t.Context(), "app", another)
	require.NoError(t, err)
	w.addRoles("a")
	u, err := w.create("EtcdUser", object("password", secret, "roles", []string{"a"}))
	require.EqualError(t, err, "user app already exists: import it with `pulumi import quorum:index:EtcdUser NAME app`, or delete it")
	assert.False(t, u.failed, "nothing is kept of it")
	assert.True(t, w.logsIn("app", another))
	assert.Empty(t, w.rolesOf("app"))
}

func TestUserHalfMadeIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("a")
	in := object("password", secret, "roles", []string{"a", "late"})
	u, err := w.create("EtcdUser", in)
	require.EqualError(t, err, "grant role late to user app: etcdserver: role name not found")
	require.True(t, u.failed)
	assert.Equal(t, "app", u.id)
	u.hidden(secret, embedetcd.RootPassword)
	require.Error(t, u.update(in))
	w.addRoles("late")
	require.NoError(t, u.update(in))
	assert.False(t, u.failed)
	assert.Equal(t, []string{"a", "late"}, w.rolesOf("app"))

	in = object("password", another, "roles", []string{"late", "later"})
	require.Error(t, u.update(in))
	assert.True(t, u.failed, "the password is another already")
	u.hidden(secret, another)
	before := object("password", secret, "roles", []string{"a", "late"})
	require.NoError(t, u.update(before), "back to what was")
	assert.Equal(t, []string{"a", "late"}, w.rolesOf("app"))
	assert.True(t, w.logsIn("app", secret))
}

func TestUserDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("a", "b")
	in := object("password", secret, "roles", []string{"b", "a"})
	u := w.made("EtcdUser", in)
	kept := u.state
	require.NoError(t, u.refresh())
	assert.Equal(t, kept, u.state, "refresh finds nothing")
	assert.Empty(t, u.changes(in))

	_, err := w.root.UserChangePassword(t.Context(), "app", another)
	require.NoError(t, err)
	_, err = w.root.UserRevokeRole(t.Context(), "app", "a")
	require.NoError(t, err)
	_, err = w.root.UserGrantRole(t.Context(), "app", "root")
	require.NoError(t, err)
	require.NoError(t, u.refresh())
	assert.Equal(t, map[string]p.DiffKind{"password": p.Add, "roles[1]": p.Update}, u.changes(in))
	require.NoError(t, u.update(in))
	assert.Equal(t, []string{"a", "b"}, w.rolesOf("app"))
	assert.True(t, w.logsIn("app", secret))
}

// TestUserConnection requires a change of how etcd is reached to touch nothing
// there, not even what somebody else has changed.
func TestUserConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("a")
	in := object("password", secret)
	u := w.made("EtcdUser", in)
	_, err := w.root.UserAdd(t.Context(), "admin", another)
	require.NoError(t, err)
	_, err = w.root.UserGrantRole(t.Context(), "admin", "root")
	require.NoError(t, err)
	_, err = w.root.UserGrantRole(t.Context(), "app", "a")
	require.NoError(t, err)
	revision := w.authRevision()

	admin, password := "admin", another
	by := w.etcd.Connection(t)
	by.Username, by.Password = &admin, &password
	in = in.Set("etcd", connection(by))
	assert.Equal(t, map[string]p.DiffKind{"etcd.username": p.Update, "etcd.password": p.Update}, u.changes(in))
	require.NoError(t, u.update(in))
	u.hidden(another)
	assert.Equal(t, "admin", u.state.Get("etcd").AsMap().Get("username").AsString())
	assert.Equal(t, revision, w.authRevision())

	wrong := embedetcd.RootPassword
	by.Password = &wrong
	err = u.update(in.Set("etcd", connection(by)))
	require.ErrorContains(t, err, "authentication failed, invalid user ID or password")
	assert.False(t, u.failed, "nothing was done")
}
