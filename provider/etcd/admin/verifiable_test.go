package admin

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSeemsSelfSigned is as OpenSSL judges.
func TestSeemsSelfSigned(t *testing.T) {
	t.Parallel()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		return k
	}
	sign := func(template, parent *x509.Certificate, of *ecdsa.PrivateKey, by *ecdsa.PrivateKey) *x509.Certificate {
		template.SerialNumber, template.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &of.PublicKey, by)
		require.NoError(t, err)
		c, err := x509.ParseCertificate(der)
		require.NoError(t, err)
		return c
	}
	name := pkix.Name{CommonName: "etcd", Organization: []string{"Example"}}
	rootKey := key()
	root := &x509.Certificate{Subject: name, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	root = sign(root, root, rootKey, rootKey)
	for what, c := range map[string]struct {
		certificate *x509.Certificate
		seems       bool
	}{
		"another name":                       {sign(&x509.Certificate{Subject: pkix.Name{CommonName: "etcd-1"}}, root, key(), rootKey), false},
		"the name of its authority":          {sign(&x509.Certificate{Subject: name}, root, key(), rootKey), true},
		"the name, and an identifier":        {sign(&x509.Certificate{Subject: name, SubjectKeyId: []byte("of its own"), AuthorityKeyId: root.SubjectKeyId}, root, key(), rootKey), false},
		"the authority itself is the member": {root, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.seems, seemsSelfSigned(c.certificate))
			file := func(name string, c *x509.Certificate) string {
				path := filepath.Join(t.TempDir(), name)
				require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}), 0o600))
				return path
			}
			said, err := exec.CommandContext(t.Context(), "openssl", "verify", "-CAfile", file("root", root), file("leaf", c.certificate)).CombinedOutput()
			assert.Equal(t, c.seems, err != nil, "%s", said)
		})
	}
}
