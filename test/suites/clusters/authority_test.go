package clusters

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// authority is a CA of the test's own.
type authority struct {
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
	certPEM string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	like := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-72 * time.Hour), NotAfter: time.Now().Add(24 * 365 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, like, like, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{cert: cert, key: key, certPEM: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

// input is the CA as an input of the cluster.
func (a *authority) input() string {
	der, _ := x509.MarshalPKCS8PrivateKey(a.key)
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	return fmt.Sprintf("      ca: {cert: %q, key: {fn::secret: %q}}\n", a.certPEM, key)
}

// expired is a certificate that is like another, and has ended.
func (a *authority) expired(t *testing.T, good string) string {
	t.Helper()
	block, _ := pem.Decode([]byte(good))
	leaf, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	leaf.SerialNumber, leaf.NotBefore, leaf.NotAfter = big.NewInt(2), time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, leaf.PublicKey, a.key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestAuthorityReplaced has --replace name the key of the authority: the update refuses another one, and says
// how the cluster comes to it now that the key is gone.
func TestAuthorityReplaced(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.writeAll(t)
	before := c.voters(t)
	refused := c.UpFails("--replace", "**::main-ca-key").Diagnostics
	assert.Contains(t, refused, "If the key that signed before is gone, as after --replace of it, set skipHealthChecks: true for one `pulumi up`")
	c.change(extra("skipHealthChecks: true"))
	c.Up()
	c.change(func(o *options) { o.extra = "" })
	c.Up()
	assert.True(t, c.Up().Unchanged())
	assert.Equal(t, before, c.voters(t))
	c.hasAll(t)
}
