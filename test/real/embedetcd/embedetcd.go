// Package embedetcd runs etcd itself for tests, in process, with TLS and with
// the certificates of provider/testdata/pki.
package embedetcd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"golang.org/x/crypto/bcrypt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// RootPassword is that of etcd's user root, once authentication is on.
const RootPassword = "root-of-etcd"

// Etcd is a cluster of one member.
type Etcd struct {
	Endpoint string
	Stop     func() // may be called more than once
}

// Start runs an etcd that talks TLS only and lets everybody in. With
// clientCerts it takes the name of a user from the client's certificate, and
// needs one.
func Start(t testing.TB, clientCerts bool) Etcd {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"ca.crt", "server.crt", "server.key"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(PKI(t, name)), 0o600))
	}
	address := func() []url.URL {
		return []url.URL{{Scheme: "https", Host: "127.0.0.1:" + strconv.Itoa(loopback.Port(t))}}
	}
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = filepath.Join(dir, "data"), "error", []string{os.DevNull}
	c.ListenClientUrls, c.ListenPeerUrls = address(), address()
	c.AdvertiseClientUrls, c.AdvertisePeerUrls = c.ListenClientUrls, c.ListenPeerUrls
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.ClientTLSInfo.CertFile, c.ClientTLSInfo.KeyFile = filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	c.PeerTLSInfo = c.ClientTLSInfo
	if c.ClientTLSInfo.ClientCertAuth = clientCerts; clientCerts {
		c.ClientTLSInfo.TrustedCAFile = filepath.Join(dir, "ca.crt")
	}
	c.BcryptCost = uint(bcrypt.MinCost) // passwords of tests need no more
	etcd, err := embed.StartEtcd(c)
	require.NoError(t, err)
	e := Etcd{c.ListenClientUrls[0].Host, sync.OnceFunc(etcd.Close)}
	t.Cleanup(e.Stop)
	<-etcd.Server.ReadyNotify()
	return e
}

// Root turns authentication on, and is a client that may do everything.
func (e Etcd) Root(t testing.TB) *clientv3.Client {
	t.Helper()
	client := e.Client(t, "", "")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := client.UserAdd(ctx, "root", RootPassword)
	require.NoError(t, err)
	_, err = client.UserGrantRole(ctx, "root", "root")
	require.NoError(t, err)
	_, err = client.AuthEnable(ctx)
	require.NoError(t, err)
	return e.Client(t, "root", RootPassword)
}

// Client logs in, unless user is "". It has the certificate of a user etcd-1.
func (e Etcd) Client(t testing.TB, user, password string) *clientv3.Client {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(PKI(t, "server.crt")), []byte(PKI(t, "server.key")))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(PKI(t, "ca.crt"))))
	client, err := clientv3.New(clientv3.Config{
		Endpoints: []string{e.Endpoint}, DialTimeout: 5 * time.Second, Username: user, Password: password, Logger: zap.NewNop(),
		TLS: &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots, MinVersion: tls.VersionTLS12},
	})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// Connection is how root reaches etcd by password.
func (e Etcd) Connection(t testing.TB) host.EtcdConnection {
	t.Helper()
	user, password := "root", RootPassword
	return host.EtcdConnection{
		Endpoints: []string{e.Endpoint}, CACert: PKI(t, "ca.crt"), Username: &user, Password: &password,
	}
}

// PKI is a file of provider/testdata/pki.
func PKI(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(engine.Root(), "provider", "testdata", "pki", name))
	require.NoError(t, err)
	return string(text)
}
