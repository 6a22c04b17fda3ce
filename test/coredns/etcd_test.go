package coredns

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/engine"
)

func pki(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(engine.Root(), "provider", "testdata", "pki", name))
	require.NoError(t, err)
	return string(text)
}

// startEtcd runs an etcd that talks TLS only.
func startEtcd(t *testing.T, clientCerts bool) (endpoint string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"ca.crt", "server.crt", "server.key"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(pki(t, name)), 0o600))
	}
	address := func(port string) []url.URL { return []url.URL{{Scheme: "https", Host: "127.0.0.1:" + port}} }
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = filepath.Join(dir, "data"), "error", []string{os.DevNull}
	c.ListenClientUrls, c.ListenPeerUrls = address(freePort(t)), address(freePort(t))
	c.AdvertiseClientUrls, c.AdvertisePeerUrls = c.ListenClientUrls, c.ListenPeerUrls
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.ClientTLSInfo.CertFile, c.ClientTLSInfo.KeyFile = filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	c.PeerTLSInfo = c.ClientTLSInfo
	if c.ClientTLSInfo.ClientCertAuth = clientCerts; clientCerts {
		c.ClientTLSInfo.TrustedCAFile = filepath.Join(dir, "ca.crt")
	}
	etcd, err := embed.StartEtcd(c)
	require.NoError(t, err)
	t.Cleanup(etcd.Close)
	<-etcd.Server.ReadyNotify()
	return c.ListenClientUrls[0].Host
}

// asRoot is a client of etcd that may do everything, once authentication is on.
func asRoot(t *testing.T, endpoint string) *clientv3.Client {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(pki(t, "server.crt")), []byte(pki(t, "server.key")))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(pki(t, "ca.crt"))))
	config := clientv3.Config{
		Endpoints: []string{endpoint}, DialTimeout: 5 * time.Second,
		TLS: &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	client, err := clientv3.New(config)
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	do := func(_ any, err error) { t.Helper(); require.NoError(t, err) }
	// The reader is the user of the certificate, and has a password too.
	do(client.RoleAdd(ctx, "zones"))
	do(client.RoleGrantPermission(ctx, "zones", "/zones/", clientv3.GetPrefixRangeEnd("/zones/"), clientv3.PermissionType(clientv3.PermRead)))
	do(client.UserAdd(ctx, "etcd-1", " pass: word "))
	do(client.UserGrantRole(ctx, "etcd-1", "zones"))
	do(client.UserAdd(ctx, "root", "root"))
	do(client.UserGrantRole(ctx, "root", "root"))
	do(client.AuthEnable(ctx))
	config.Username, config.Password = "root", "root"
	client, err = clientv3.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// TestEtcd has the agent follow a real etcd, with the right to read the zones
// and no other, by certificate and by password.
func TestEtcd(t *testing.T) {
	t.Parallel()
	cert, key, user, password := pki(t, "server.crt"), pki(t, "server.key"), "etcd-1", " pass: word "
	for name, by := range map[string]host.EtcdConnection{
		"certificate": {ClientCert: &cert, ClientKey: &key},
		"password":    {Username: &user, Password: &password},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by.Endpoints, by.CACert = []string{startEtcd(t, by.ClientCert != nil)}, pki(t, "ca.crt")
			root := asRoot(t, by.Endpoints[0])
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
