package check_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestShortKeysOfSSHAreRefused(t *testing.T) {
	t.Parallel()
	for bits, ends := range map[int]string{1024: "not of RSA with 1024", 2048: ""} {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		require.NoError(t, err)
		public, err := ssh.NewPublicKey(key.Public())
		require.NoError(t, err)
		reason := check.SSHPublicKey(string(ssh.MarshalAuthorizedKey(public)))
		assert.Contains(t, reason, ends)
		assert.Equal(t, ends == "", reason == "", bits)
	}
}

func TestCertificatesAreNotedThatOutliveTheirAuthority(t *testing.T) {
	t.Parallel()
	ca := issue(t, nil, authority)
	longer := issue(t, &ca, func(c *x509.Certificate) { c.NotAfter = ca.cert.NotAfter.Add(48 * time.Hour) })
	same := issue(t, &ca, nil)
	var l check.List
	l.OutlivesCA(check.PEM{Path: "cert", Text: same.pem}, check.PEM{Path: "ca", Text: ca.pem})
	assert.Empty(t, l)
	l.OutlivesCA(check.PEM{Path: "cert", Text: longer.pem}, check.PEM{Path: "ca", Text: ca.pem})
	require.Len(t, l, 1)
	assert.Equal(t, "cert: ends on 2025-06-03, after its authority, which ends on 2025-06-01: until then it must be renewed", l[0].String())
}

func TestChainsInAnotherOrderAreRecognised(t *testing.T) {
	t.Parallel()
	ca := issue(t, nil, authority)
	between := issue(t, &ca, func(c *x509.Certificate) { authority(c); c.Subject.CommonName = "between" })
	leaf, other := issue(t, &between, nil), issue(t, nil, authority)
	for text, want := range map[string]string{
		leaf.pem + between.pem:             "",
		between.pem + leaf.pem:             "cert: must begin with the certificate of the key, followed by those that signed it: that of the key is number 2",
		leaf.pem + other.pem + between.pem: "cert: must have each certificate followed by the one that signed it: number 1 is not signed by number 2",
	} {
		var l check.List
		l.Identity(now, check.PEM{Path: "ca", Text: ca.pem}, check.PEM{Path: "cert", Text: text}, check.PEM{Path: "key", Text: leaf.keyPEM(t)})
		if want == "" {
			assert.Empty(t, l)
			continue
		}
		require.Len(t, l, 1)
		assert.Equal(t, want, l[0].String())
	}
}
