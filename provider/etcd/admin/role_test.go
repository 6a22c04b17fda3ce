package admin_test

import (
	"context"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

func role(permissions ...property.Map) property.Map { return object("permissions", permissions) }

func onPrefix(prefix, right string) property.Map {
	return object("prefix", prefix, "permission", right)
}

func onKey(key, right string) property.Map { return object("key", key, "permission", right) }

// user is a client of a user who has just this role.
func (w world) user(role string) *clientv3.Client {
	w.t.Helper()
	_, err := w.root.UserAdd(w.t.Context(), "user of "+role, secret)
	require.NoError(w.t, err)
	_, err = w.root.UserGrantRole(w.t.Context(), "user of "+role, role)
	require.NoError(w.t, err)
	return w.etcd.Client(w.t, "user of "+role, secret)
}

// may is what a client may do with keys: "rw" each, in their order.
func may(ctx context.Context, c *clientv3.Client, keys ...string) (rights []string) {
	for _, key := range keys {
		right := ""
		if _, err := c.Get(ctx, key); err == nil {
			right = "r"
		}
		if _, err := c.Put(ctx, key, "x"); err == nil {
			right += "w"
		}
		rights = append(rights, right)
	}
	return rights
}

func TestRoleLife(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	r := w.made("EtcdRole", role(onPrefix("/service/", "readwrite"), onKey("/zone", "read")))
	assert.Equal(t, "app", r.id)
	r.hidden(embedetcd.RootPassword)
	c := w.user("app")
	keys := []string{"/service/", "/service/x", "/servicex", "/zone", "/zone/x"}
	assert.Equal(t, []string{"rw", "rw", "", "r", ""}, may(ctx, c, keys...))
	assert.Empty(t, r.changes(role(onKey("/zone", "read"), onPrefix("/service/", "readwrite"))), "their order does not matter")

	for _, c := range []struct {
		in      property.Map
		changes map[string]p.DiffKind
		may     []string
	}{
		{role(onPrefix("/service/", "write"), onKey("/zone", "read")), map[string]p.DiffKind{"permissions[0].permission": p.Update}, []string{"w", "w", "", "r", ""}},
		{role(onKey("/zone", "read")), map[string]p.DiffKind{"permissions[0]": p.Delete}, []string{"", "", "", "r", ""}},
		{
			role(onKey("/zone", "read"), object("from", "/servicex", "to", "/zone", "permission", "read")),
			map[string]p.DiffKind{"permissions[1]": p.Add},
			[]string{"", "", "r", "r", ""},
		},
		{role(object("from", "/zone", "permission", "readwrite")), map[string]p.DiffKind{
			"permissions[0].key": p.Delete, "permissions[0].from": p.Add, "permissions[0].permission": p.Update, "permissions[1]": p.Delete,
		}, []string{"", "", "", "rw", "rw"}},
		{role(object("from", "\x00", "permission", "read")), map[string]p.DiffKind{
			"permissions[0].from": p.Update, "permissions[0].permission": p.Update,
		}, []string{"r", "r", "r", "r", "r"}},
		{role(onPrefix("/service", "read"), onPrefix("/service/", "write")), map[string]p.DiffKind{
			"permissions[0].from": p.Delete, "permissions[0].prefix": p.Add, "permissions[1]": p.Add,
		}, []string{"rw", "rw", "r", "", ""}},
		{role(), map[string]p.DiffKind{"permissions": p.Delete}, []string{"", "", "", "", ""}},
	} {
		assert.Equal(t, c.changes, r.changes(c.in))
		require.NoError(t, r.update(c.in))
		assert.Equal(t, c.may, may(ctx, w.etcd.Client(t, "user of app", secret), keys...))
		kept := r.state
		require.NoError(t, r.refresh())
		assert.Equal(t, kept, r.state, "refresh finds nothing")
	}
	require.NoError(t, r.delete())
	_, err := w.root.RoleGet(ctx, "app")
	require.ErrorContains(t, err, "role name not found")
	assert.Empty(t, w.rolesOf("user of app"))
	require.NoError(t, r.delete(), "it is gone already")
	require.NoError(t, r.refresh())
	assert.Empty(t, r.id, "refresh says that it is gone")
}

func TestRoleIsNotTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("app")
	r, err := w.create("EtcdRole", role(onKey("/a", "read")))
	require.EqualError(t, err, "role app already exists: import it with `pulumi import quorum:index:EtcdRole NAME app`, or delete it")
	assert.False(t, r.failed)
	found, err := w.root.RoleGet(t.Context(), "app")
	require.NoError(t, err)
	assert.Empty(t, found.Perm)
}

func TestRoleDrift(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	in := role(onPrefix("/z/", "readwrite"), onPrefix("/b/", "read"), object("from", "/c", "to", "/e", "permission", "read"))
	r := w.made("EtcdRole", in)
	read := clientv3.PermissionType(clientv3.PermRead)
	for _, keys := range [][2]string{{"/z/", "/z0"}, {"/x", ""}, {"/y/", "/y0"}, {"/a", "/a1"}, {"/zz", "\x00"}} {
		_, err := w.root.RoleGrantPermission(ctx, "app", keys[0], keys[1], read)
		require.NoError(t, err)
	}
	_, err := w.root.RoleRevokePermission(ctx, "app", "/b/", "/b0")
	require.NoError(t, err)
	require.NoError(t, r.refresh())
	assert.Equal(t, []property.Map{
		onPrefix("/z/", "read"), object("from", "/c", "to", "/e", "permission", "read"),
		object("from", "/a", "to", "/a1", "permission", "read"), onKey("/x", "read"), onPrefix("/y/", "read"), object("from", "/zz", "permission", "read"),
	}, maps(r.inputs.Get("permissions")))
	assert.Equal(t, maps(r.inputs.Get("permissions")), maps(r.state.Get("permissions")))
	require.NoError(t, r.update(in))
	require.NoError(t, r.refresh())
	assert.Empty(t, r.changes(in))
}

func maps(list property.Value) (all []property.Map) {
	for _, item := range list.AsArray().All {
		all = append(all, item.AsMap())
	}
	return all
}

// TestRoleThatIsGone requires an update to say so, and to go on once it is back.
func TestRoleThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.made("EtcdRole", role(onKey("/a", "read")))
	_, err := w.root.RoleDelete(t.Context(), "app")
	require.NoError(t, err)
	in := role(onKey("/b", "read"))
	require.EqualError(t, r.update(in), "grant read on key /b to role app: etcdserver: role name not found")
	assert.False(t, r.failed, "nothing was done")
	w.addRoles("app")
	require.NoError(t, r.update(in), "what is not there need not be revoked")
	require.NoError(t, r.refresh())
	assert.Empty(t, r.changes(in))
}
