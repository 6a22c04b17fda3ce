package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// SSHKey is a public key for programs that need one. Nobody has the private one.
const SSHKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINuWPODVb6sDIAwVpfUIxi5MRqX97KlHaLmnTrenyL8D admin@example.org"

// Authority is a CA, as the first resources of a program.
const Authority = `
resources:
  caKey:
    type: tls:PrivateKey
    properties: {algorithm: ECDSA, ecdsaCurve: P256}
  ca:
    type: tls:SelfSignedCert
    properties:
      privateKeyPem: ${caKey.privateKeyPem}
      isCaCertificate: true
      validityPeriodHours: 87600
      allowedUses: [cert_signing, crl_signing, digital_signature]
      subject: {commonName: ca}
`

// Servers is the example of three EtcdServers, with pairs of old and new text
// replaced.
func Servers(t testing.TB, oldNew ...string) string {
	t.Helper()
	program := Example(t, filepath.Join("examples", "etcd-servers", "Pulumi.yaml"))
	for i := 0; i < len(oldNew); i += 2 {
		require.Contains(t, program, oldNew[i])
		program = strings.ReplaceAll(program, oldNew[i], oldNew[i+1])
	}
	return program
}

// Member is what the resource of a member begins with there.
func Member(name string) string { return name + ":\n" + EachMember }

// EachMember is what the resources of all members begin with.
const EachMember = "    type: quorum:EtcdServer\n    properties:\n"

// Example is a program of the repository, without its head.
func Example(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(Root(), path))
	require.NoError(t, err)
	_, program, found := strings.Cut(string(b), "runtime: yaml\n")
	require.True(t, found)
	return program
}
