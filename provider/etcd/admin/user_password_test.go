package admin_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// authRevision counts the changes of users and roles.
func (w world) authRevision() uint64 {
	w.t.Helper()
	status, err := w.root.AuthStatus(w.t.Context())
	require.NoError(w.t, err)
	return status.AuthRevision
}

func TestUserWithoutPassword(t *testing.T) {
	t.Parallel()
	etcd := embedetcd.Start(t, true)
	w := world{newServer(t), t, etcd, etcd.Client(t, "", "")}
	w.addRoles("reader")
	all := clientv3.GetPrefixRangeEnd("/app/")
	_, err := w.root.RoleGrantPermission(t.Context(), "reader", "/app/", all, clientv3.PermissionType(clientv3.PermRead))
	require.NoError(t, err)
	cert, key := embedetcd.PKI(t, "server.crt"), embedetcd.PKI(t, "server.key")
	by := connection(host.EtcdConnection{
		Endpoints: []string{etcd.Endpoint}, CACert: embedetcd.PKI(t, "ca.crt"), ClientCert: &cert, ClientKey: &key,
	})
	u := w.made("EtcdUser", object("etcd", by, "name", "etcd-1", "roles", []string{"reader"}))
	u.hidden("PRIVATE KEY")
	w.root = etcd.Root(t)
	member := etcd.Client(t, "", "") // by the common name of its certificate
	_, err = member.Get(t.Context(), "/app/x")
	require.NoError(t, err)
	_, err = member.Put(t.Context(), "/app/x", "y")
	require.ErrorContains(t, err, "permission denied")
	assert.False(t, w.logsIn("etcd-1", ""))
}

// TestUserGetsAndLosesAPassword has etcd do what it cannot: only add or delete
// a user that has none.
func TestUserGetsAndLosesAPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("a")
	without, with := object("roles", []string{"a"}), object("roles", []string{"a"}, "password", secret)
	u := w.made("EtcdUser", without)
	require.False(t, w.logsIn("app", secret))
	require.NoError(t, u.update(with))
	require.True(t, w.logsIn("app", secret))
	require.Equal(t, []string{"a"}, w.rolesOf("app"))
	require.NoError(t, u.update(without))
	require.False(t, w.logsIn("app", secret))
	require.Equal(t, []string{"a"}, w.rolesOf("app"))

	// Somebody makes it one without a password.
	require.NoError(t, u.update(with))
	_, err := w.root.UserDelete(t.Context(), "app")
	require.NoError(t, err)
	_, err = w.root.UserAddWithOptions(t.Context(), "app", "", &clientv3.UserAddOptions{NoPassword: true})
	require.NoError(t, err)
	require.NoError(t, u.refresh())
	assert.Equal(t, map[string]p.DiffKind{"password": p.Add, "roles": p.Add}, u.changes(with))
	require.NoError(t, u.update(with))
	require.True(t, w.logsIn("app", secret))
	require.Equal(t, []string{"a"}, w.rolesOf("app"))
}

func TestUserOfAClusterThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.made("EtcdUser", object("password", secret))
	w.etcd.Stop()
	require.ErrorContains(t, u.update(object("password", another)), "etcd does not answer at "+w.etcd.Endpoint+": connection refused")
	assert.False(t, u.failed)
}

// TestUserOfAnotherCluster requires nothing to be taken for deleted because of a
// certificate that is not the one expected, on either side.
func TestUserOfAnotherCluster(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.made("EtcdUser", object("password", secret))
	by := w.etcd.Connection(t)
	by.CACert = embedetcd.PKI(t, "other.crt")
	u.state = u.state.Set("etcd", connection(by))
	require.ErrorContains(t, u.delete(), w.etcd.Endpoint+": tls: failed to verify certificate: x509: certificate signed by unknown authority")

	w.etcd = embedetcd.Start(t, true)
	cert, key := embedetcd.PKI(t, "other.crt"), embedetcd.PKI(t, "other.key")
	by = host.EtcdConnection{Endpoints: []string{w.etcd.Endpoint}, CACert: embedetcd.PKI(t, "ca.crt"), ClientCert: &cert, ClientKey: &key}
	u.state = u.state.Set("etcd", connection(by))
	require.ErrorContains(t, u.delete(), w.etcd.Endpoint+": remote error: tls: ")
}
