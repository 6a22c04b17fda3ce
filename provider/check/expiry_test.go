package check_test

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("..", "testdata", "pki", "ca.crt"))
	require.NoError(t, err)
	block, _ := pem.Decode(b)
	ca, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	type group struct {
		Certs []string `pulumi:"certs,optional"`
	}
	in := struct {
		CA    *group           `pulumi:"ca,optional"`
		Named map[string]group `pulumi:"named"`
		Other string           `pulumi:"other"`
	}{&group{[]string{"", string(b)}}, map[string]group{"a": {[]string{string(b)}}}, "-----BEGIN CERTIFICATE-----"}
	assert.Empty(t, check.Ends(ca.NotAfter.Add(-31*24*time.Hour), in))
	end := ca.NotAfter.UTC().Format(time.RFC3339)
	assert.Equal(t, []string{
		"ca.certs[1]: the certificate of CN=test CA ends on " + end, "named.a.certs[0]: the certificate of CN=test CA ends on " + end,
	}, check.Ends(ca.NotAfter.Add(-29*24*time.Hour), in))
}
