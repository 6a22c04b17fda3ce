package check_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

var now = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)

type pair struct {
	cert *x509.Certificate
	key  crypto.Signer
	pem  string
}

func (p pair) keyPEM(t *testing.T) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(p.key)
	require.NoError(t, err)
	return block("PRIVATE KEY", der)
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// issue makes a certificate that by signed, or that signed itself.
func issue(t *testing.T, by *pair, change func(*x509.Certificate)) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(now.Unix()), Subject: pkix.Name{CommonName: t.Name()},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.ParseIP("10.0.0.1")}, ExtKeyUsage: check.Usages,
	}
	if change != nil {
		change(c)
	}
	parent, signer := c, crypto.Signer(key)
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return pair{cert, key, block("CERTIFICATE", der)}
}

func authority(c *x509.Certificate) {
	c.IsCA, c.ExtKeyUsage, c.IPAddresses = true, nil, nil
	c.KeyUsage = x509.KeyUsageCertSign
	c.Subject.CommonName = "CA"
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	ca, other := issue(t, nil, authority), issue(t, nil, authority)
	leaf := issue(t, &ca, nil)
	between := issue(t, &ca, func(c *x509.Certificate) { authority(c); c.Subject.CommonName = "between" })
	deep := issue(t, &between, nil)
	for name, c := range map[string]struct {
		ca, cert, key string
		want          []string
	}{
		"good":          {ca.pem, leaf.pem, leaf.keyPEM(t), nil},
		"chain":         {ca.pem, deep.pem + between.pem, deep.keyPEM(t), nil},
		"two CAs":       {other.pem + ca.pem, leaf.pem, leaf.keyPEM(t), nil},
		"chain missing": {ca.pem, deep.pem, deep.keyPEM(t), []string{"cert: must be signed by the CA"}},
		"other CA":      {other.pem, leaf.pem, leaf.keyPEM(t), []string{"cert: must be signed by the CA"}},
		"other key":     {ca.pem, leaf.pem, ca.keyPEM(t), []string{"key: must be the key of the certificate"}},
		"leaf as CA":    {leaf.pem, leaf.pem, leaf.keyPEM(t), []string{"ca: must be the certificate of a CA"}},
		"swapped": {ca.pem, leaf.keyPEM(t), leaf.pem, []string{
			"key: must be a private key in PEM (-----BEGIN PRIVATE KEY-----)",
			"cert: must be a certificate in PEM (-----BEGIN CERTIFICATE-----), not a private key",
		}},
		"expired": {ca.pem, issue(t, &ca, func(c *x509.Certificate) { c.NotAfter = now.Add(-time.Minute) }).pem, "", []string{
			"key: must be a private key in PEM (-----BEGIN PRIVATE KEY-----)",
			"cert: must be in force, but expired on 2025-05-31T23:59:00Z",
		}},
		"server only": {ca.pem, issue(t, &ca, func(c *x509.Certificate) { c.ExtKeyUsage = check.Usages[:1] }).pem, "", []string{
			"key: must be a private key in PEM (-----BEGIN PRIVATE KEY-----)",
			"cert: must be a certificate for client authentication",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l check.List
			l.Identity(now, check.PEM{Path: "ca", Text: c.ca}, check.PEM{Path: "cert", Text: c.cert}, check.PEM{Path: "key", Text: c.key}, check.Usages...)
			var got []string
			for _, p := range l {
				got = append(got, p.String())
			}
			assert.Equal(t, c.want, got)
		})
	}
	var l check.List
	l.Authority(now, check.PEM{Path: "ca.cert", Text: ca.pem}, check.PEM{Path: "ca.key", Text: ca.keyPEM(t)})
	assert.Empty(t, l)
	assert.Contains(t, check.InForce(leaf.cert, now.Add(-2*time.Hour)), "not valid before")
	assert.Equal(t, "must be a certificate for the IP address 10.0.0.2; it names 10.0.0.1",
		check.HasIPs(leaf.cert, "10.0.0.1", "10.0.0.2"))
}

func TestPrivateKeyTakesTheUsualFormsAndShowsNone(t *testing.T) {
	t.Parallel()
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	sec1, err := x509.MarshalECPrivateKey(e)
	require.NoError(t, err)
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	for _, text := range []string{
		block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(r)), block("EC PRIVATE KEY", sec1),
		block("EC PARAMETERS", []byte{6, 0}) + block("EC PRIVATE KEY", sec1), pair{key: ed}.keyPEM(t),
	} {
		_, reason := check.PrivateKey(text)
		assert.Empty(t, reason)
	}
	for _, text := range []string{"", "hunter2", block("PRIVATE KEY", []byte("hunter2")), block("ENCRYPTED PRIVATE KEY", nil)} {
		_, reason := check.PrivateKey(text)
		assert.Contains(t, reason, "must be a private key")
		assert.NotContains(t, reason, "hunter2")
	}
}
