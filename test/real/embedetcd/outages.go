package embedetcd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// Away are the ways in which etcd can be away. Each gives a connection like
// root's that fails in its own way, and leaves the etcd that it is for as it
// is, unless it says otherwise.
var Away = map[string]func(t testing.TB, e Etcd) (endpoint string){
	"nobody listens": func(t testing.TB, _ Etcd) string { return "127.0.0.1:" + strconv.Itoa(loopback.Port(t)) },
	"it accepts and never answers": func(t testing.TB, _ Etcd) string {
		return listen(t, func(net.Conn) {})
	},
	"its certificate has expired":             func(t testing.TB, _ Etcd) string { return shows(t, expired(t)) },
	"its certificate is of another authority": func(t testing.TB, _ Etcd) string { return shows(t, foreign(t)) },
	// For good: etcd waits for a member that never comes.
	"it has no quorum": func(t testing.TB, e Etcd) string {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err := e.Client(t, "root", RootPassword).MemberAdd(ctx, []string{"https://127.0.0.1:" + strconv.Itoa(loopback.Port(t))})
		require.NoError(t, err)
		return e.Endpoint
	},
	// For good.
	"root has another password": func(t testing.TB, e Etcd) string {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err := e.Client(t, "root", RootPassword).UserChangePassword(ctx, "root", RootPassword+"-2")
		require.NoError(t, err)
		return e.Endpoint
	},
}

// listen serves connections, which stay open until the test ends.
func listen(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go serve(c)
		}
	}()
	return l.Addr().String()
}

// shows has connections be answered by a certificate, and no more.
func shows(t testing.TB, certificate tls.Certificate) string {
	t.Helper()
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	return listen(t, func(c net.Conn) { _ = tls.Server(c, config).HandshakeContext(t.Context()) })
}

// expired is a certificate of the authority that is no longer in force.
func expired(t testing.TB) tls.Certificate {
	t.Helper()
	pki := filepath.Join(engine.Root(), "provider", "testdata", "pki")
	ca, err := tls.LoadX509KeyPair(filepath.Join(pki, "ca.crt"), filepath.Join(pki, "ca.key"))
	require.NoError(t, err)
	parent, err := x509.ParseCertificate(ca.Certificate[0])
	require.NoError(t, err)
	return leaf(t, time.Now().Add(-24*time.Hour), parent, ca.PrivateKey)
}

// foreign is a certificate that is in force, and of an authority that nobody knows.
func foreign(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return leaf(t, time.Now().Add(24*time.Hour), &x509.Certificate{Subject: pkix.Name{CommonName: "another authority"}}, key)
}

// leaf is a certificate of a server on loopback.
func leaf(t testing.TB, end time.Time, authority *x509.Certificate, signs any) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: end,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, authority, key.Public(), signs)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
