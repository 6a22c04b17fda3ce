package coredns

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// TestEtcd has the agent follow a real etcd, with the right to read the zones
// and no other, by certificate and by password.
func TestEtcd(t *testing.T) {
	t.Parallel()
	cert, key, user, password := embedetcd.PKI(t, "server.crt"), embedetcd.PKI(t, "server.key"), "etcd-1", " pass: word "
	for name, by := range map[string]host.EtcdConnection{
		"certificate": {ClientCert: &cert, ClientKey: &key},
		"password":    {Username: &user, Password: &password},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			etcd := embedetcd.Start(t, by.ClientCert != nil)
			by.Endpoints, by.CACert = []string{etcd.Endpoint}, embedetcd.PKI(t, "ca.crt")
			root := etcd.Root(t)
			do := func(_ any, err error) { t.Helper(); require.NoError(t, err) }
			// The reader is the user of the certificate, and has a password too.
			do(root.RoleAdd(t.Context(), "zones"))
			do(root.RoleGrantPermission(t.Context(), "zones", "/zones/", clientv3.GetPrefixRangeEnd("/zones/"), clientv3.PermissionType(clientv3.PermRead)))
			do(root.UserAdd(t.Context(), user, password))
			do(root.UserGrantRole(t.Context(), user, "zones"))
			put := func(key, text string) {
				_, err := root.Put(t.Context(), key, text)
				require.NoError(t, err)
			}
			put("/zones/a.example", zone(1, "192.0.2.1"))
			put("/zonesb.example", zone(1, "192.0.2.1"))
			c := server(secondly(), "127.0.0.1")
			c.Etcd = by
			m := newMachine(t, c)
			m.follow(t, c)
			m.answers(t, "www.a.example", "192.0.2.1")
			put("/zones/a.example", zone(2, "192.0.2.2"))
			put("/zones/c.example", zone(1, "192.0.2.3"))
			m.answers(t, "www.a.example", "192.0.2.2")
			m.answers(t, "www.c.example", "192.0.2.3")
			require.Equal(t, "none", ask("127.0.0.1:"+m.dnsPort, "www.b.example"))

			_, err := root.RoleRevokePermission(t.Context(), "zones", "/zones/", clientv3.GetPrefixRangeEnd("/zones/"))
			require.NoError(t, err)
			eventually(t, func() bool { return strings.Contains(m.agent.said(), "permission denied") }, "the agent says why")
			m.keep(t, "192.0.2.2", "www.a.example")
			require.NotContains(t, m.agent.said(), "pass: word")
		})
	}
}
