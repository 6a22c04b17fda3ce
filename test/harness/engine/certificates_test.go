package engine_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// certificates are a CA of a year and a leaf of 14 days that is renewed two
// days before its end.
const certificates = `
resources:
  caKey: {type: "tls:PrivateKey", properties: {algorithm: ECDSA, ecdsaCurve: P384}}
  ca:
    type: tls:SelfSignedCert
    properties:
      privateKeyPem: ${caKey.privateKeyPem}
      subject: {commonName: test CA, organization: quorum}
      isCaCertificate: true
      allowedUses: [cert_signing, crl_signing]
      validityPeriodHours: 8760
  key: {type: "tls:PrivateKey", properties: {algorithm: ECDSA, ecdsaCurve: P256}}
  request:
    type: tls:CertRequest
    properties:
      privateKeyPem: ${key.privateKeyPem}
      subject: {commonName: etcd-1}
      dnsNames: [localhost, etcd-1]
      ipAddresses: [127.0.0.1, 10.0.0.1]
  cert:
    type: tls:LocallySignedCert
    properties:
      certRequestPem: ${request.certRequestPem}
      caPrivateKeyPem: ${caKey.privateKeyPem}
      caCertPem: ${ca.certPem}
      allowedUses: [digital_signature, key_encipherment, server_auth, client_auth]
      validityPeriodHours: 336
      earlyRenewalHours: 48
outputs:
  ca: ${ca.certPem}
  cert: ${cert.certPem}
  key: ${key.privateKeyPem}
  ssh: ${key.publicKeyOpenssh}
`

func TestCertificatesAreReal(t *testing.T) {
	t.Parallel()
	s := fakes(t, certificates)
	s.Up()

	pair, err := tls.X509KeyPair([]byte(s.Output("cert")), []byte(s.Output("key")))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(s.Output("ca"))))
	for _, name := range []string{"etcd-1", "10.0.0.1"} {
		_, err = pair.Leaf.Verify(x509.VerifyOptions{
			Roots: roots, DNSName: name, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		})
		require.NoError(t, err, name)
	}
	block, _ := pem.Decode([]byte(s.Output("ca")))
	ca, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	assert.Equal(t, ca.SubjectKeyId, pair.Leaf.AuthorityKeyId)
	assert.Contains(t, s.Output("ssh"), "ecdsa-sha2-nistp256 ")

	assert.NotContains(t, s.Export(), "PRIVATE KEY")
	assert.True(t, s.Up().Unchanged())
}

func TestCertificateInItsRenewalPeriodIsReplaced(t *testing.T) {
	t.Parallel()
	s := fakes(t, replace(certificates, "earlyRenewalHours: 48", "earlyRenewalHours: 336"))
	s.Up()
	assert.Contains(t, s.Preview().Ops("LocallySignedCert"), "replace cert")

	s.Program(certificates)
	assert.Equal(t, []string{"update cert"}, s.Up().Ops("LocallySignedCert"))
	assert.True(t, s.Preview().Unchanged())
}

func replace(text string, oldnew ...string) string {
	return strings.NewReplacer(oldnew...).Replace(text)
}
