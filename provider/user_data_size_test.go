package provider

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
)

// TestUserDataOfManyCertificates has OpenStack take a node that is restored and backed up and has a pool, with certificates that
// have nothing in common, as those of users have not: they are what compresses least.
func TestUserDataOfManyCertificates(t *testing.T) {
	t.Parallel()
	ca := reissue(t, "ca", nil)
	server, client := reissue(t, "server", &ca), reissue(t, "server", &ca)
	trusts := func(authority string) property.Value {
		return property.New(map[string]property.Value{"caCert": property.New(authority)})
	}
	s3 := property.New(map[string]property.Value{"s3": trusts(reissue(t, "ca", nil).cert)})
	in := merge(merge(postgresServer.inputs(t, "minimal-tls"), readInputs(t, onOpenStack+restored+"\npooler: {}")), property.NewMap(map[string]property.Value{
		"etcd": trusts(reissue(t, "ca", nil).cert), "backup": s3, "restore": s3,
		"tls": property.New(map[string]property.Value{
			"caCert": property.New(ca.cert), "serverCert": property.New(server.cert), "serverKey": property.New(server.key).WithSecret(true),
			"clientCert": property.New(client.cert), "clientKey": property.New(client.key).WithSecret(true),
		}),
	}))
	w, _, err := construct(t, postgresServer, in, false)
	require.NoError(t, err)
	instance := w.child(t, "-instance")
	t.Logf("%d bytes are free", openstack.MostUserData-len(secretText(instance["userData"])))
	deliveredTo(t, instance)
}

// TestUserDataOfAnUpgrade has an instance of a cluster that is upgraded have patch days, too. With a pool or backups it has more
// than OpenStack takes, which the pages say.
func TestUserDataOfAnUpgrade(t *testing.T) {
	t.Parallel()
	in := merge(postgresCluster.inputs(t, "upgrade"), readInputs(t, `software: {asOf: "2026-11-22"}`))
	w, _, err := construct(t, postgresCluster, in, false)
	require.NoError(t, err)
	deliveredTo(t, w.child(t, "main-postgres-1-cloud-init"))
}

// issued is a certificate as PEM, with its key.
type issued struct {
	cert, key string
	parsed    *x509.Certificate
	signer    *ecdsa.PrivateKey
}

// reissue is one like that of testdata, of another key.
func reissue(t *testing.T, like string, by *issued) issued {
	t.Helper()
	block, _ := pem.Decode([]byte(read(t, "testdata/pki/"+like+".crt")))
	template, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.parsed, by.signer
	}
	template.PublicKey, template.SignatureAlgorithm, template.SubjectKeyId, template.AuthorityKeyId = &key.PublicKey, 0, nil, nil
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	return issued{inPEM("CERTIFICATE", der), inPEM("EC PRIVATE KEY", private), parsed, key}
}

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
