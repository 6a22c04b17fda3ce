package admin_test

import (
	"fmt"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// TestImport has the connection that etcdctl would take, from the environment.
func TestImport(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	in := role(onPrefix("/service/", "readwrite"))
	w.made("EtcdRole", in)
	w.made("EtcdUser", object("password", secret, "roles", []string{"app"}))
	w.put(another)

	for _, kind := range []string{"EtcdUser", "EtcdRole", "EtcdKey"} {
		_, err := w.imported(kind, "app")
		require.ErrorContains(t, err, "ETCDCTL_ENDPOINTS", kind)
	}
	const ca = "../../testdata/pki/ca.crt"
	t.Setenv("ETCDCTL_ENDPOINTS", "https://"+w.etcd.Endpoint)
	t.Setenv("ETCDCTL_USER", "root:"+embedetcd.RootPassword)
	t.Setenv("ETCDCTL_CACERT", ca+".not")
	_, err := w.imported("EtcdUser", "app")
	require.ErrorContains(t, err, "read the file of ETCDCTL_CACERT: open "+ca+".not: no such file")
	t.Setenv("ETCDCTL_CACERT", ca)

	r, err := w.imported("EtcdRole", "app")
	require.NoError(t, err)
	assert.Equal(t, map[string]p.DiffKind{"etcd.password": p.Add}, r.changes(in), "it is not printed")
	r.hidden(embedetcd.RootPassword)
	assert.True(t, r.inputs.Get("etcd").AsMap().Get("password").IsNull(), "it is printed for the program")

	u, err := w.imported("EtcdUser", "app")
	require.NoError(t, err)
	u.hidden(embedetcd.RootPassword)
	revision := w.authRevision()
	require.NoError(t, u.update(object("password", secret, "roles", []string{"app"})))
	assert.Equal(t, revision, w.authRevision(), "it is the password already")
	require.NoError(t, u.update(object("password", another, "roles", []string{"app"})))
	assert.True(t, w.logsIn("app", another))

	k, err := w.imported("EtcdKey", "/app")
	require.NoError(t, err)
	k.hidden(another, embedetcd.RootPassword)
	assert.Equal(t, map[string]p.DiffKind{"etcd.password": p.Add}, k.changes(keyed(another)))
	require.NoError(t, k.update(keyed(secret)))

	list, err := w.root.MemberList(ctx)
	require.NoError(t, err)
	m, err := w.imported("EtcdMember", list.Members[0].Name)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("%x", list.Members[0].ID), m.state.Get("memberId").AsString())
	assert.Contains(t, list.Members[0].PeerURLs[0], "://"+m.inputs.Get("ip").AsString()+":")
	m.hidden(embedetcd.RootPassword)
	require.NoError(t, m.refresh())
	assert.NotEmpty(t, m.id)

	for kind, id := range map[string]string{"EtcdMember": "nobody", "EtcdUser": "nobody", "EtcdRole": "nothing", "EtcdKey": "/nothing"} {
		none, err := w.imported(kind, id)
		require.NoError(t, err)
		assert.Empty(t, none.id, "there is none")
	}

	// By certificate, of a user etcd-1.
	byCert := embedetcd.Start(t, true)
	root := byCert.Root(t)
	_, err = root.UserAddWithOptions(ctx, "etcd-1", "", &clientv3.UserAddOptions{NoPassword: true})
	require.NoError(t, err)
	_, err = root.UserGrantRole(ctx, "etcd-1", "root")
	require.NoError(t, err)
	_, err = root.Put(ctx, "/app", "1")
	require.NoError(t, err)
	t.Setenv("ETCDCTL_ENDPOINTS", byCert.Endpoint)
	t.Setenv("ETCDCTL_USER", "")
	t.Setenv("ETCDCTL_CERT", "../../testdata/pki/server.crt")
	t.Setenv("ETCDCTL_KEY", "../../testdata/pki/server.key")
	k, err = w.imported("EtcdKey", "/app")
	require.NoError(t, err)
	assert.Equal(t, "1", k.state.Get("value").AsString())
	k.hidden("PRIVATE KEY")
}
