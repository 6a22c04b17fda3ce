package health_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority is the CA of the tests' certificates.
type authority struct {
	pem  string
	cert tls.Certificate
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	pki := filepath.Join("..", "..", "testdata", "pki")
	text, err := os.ReadFile(filepath.Join(pki, "ca.crt"))
	require.NoError(t, err)
	pair, err := tls.LoadX509KeyPair(filepath.Join(pki, "ca.crt"), filepath.Join(pki, "ca.key"))
	require.NoError(t, err)
	return authority{string(text), pair}
}

// issue makes a certificate of a server at ip, or else of a client.
func (a authority) issue(t *testing.T, ip string) tls.Certificate {
	t.Helper()
	return a.issueUntil(t, ip, time.Now().Add(time.Hour))
}

func (a authority) issueUntil(t *testing.T, ip string, end time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	wanted := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "patroni-client"}, NotBefore: end.Add(-2 * time.Hour), NotAfter: end,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if ip != "" {
		wanted.IPAddresses, wanted.ExtKeyUsage = []net.IP{net.ParseIP(ip)}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	signer, err := x509.ParseCertificate(a.cert.Certificate[0])
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, wanted, signer, key.Public(), a.cert.PrivateKey)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// texts are a certificate and its key, PEM.
func texts(t *testing.T, pair tls.Certificate) (cert, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
