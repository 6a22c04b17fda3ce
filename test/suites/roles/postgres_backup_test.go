package roles

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// backedUp is what a cluster with backups has beside its machines, without these.
const backedUp = `
resources:
  stanza:
    type: quorum:PostgresStanza
    properties: {scope: main}
  healthy:
    type: quorum:PostgresHealth
    properties:
      nodes: [{name: postgres-1, ip: 127.0.0.1, apiPort: 1}]
      caCert: {fn::readFile: PKI/ca.crt}
      clientCert: {fn::readFile: PKI/server.crt}
      clientKey: {fn::readFile: PKI/server.key}
      skipHealthChecks: true
      backupStanza: ${stanza.stanza}
  restoration:
    type: quorum:PostgresRestoration
    properties:
      nodes: [{name: postgres-1, ip: 127.0.0.1, apiPort: 1}]
      caCert: {fn::readFile: PKI/ca.crt}
      clientCert: {fn::readFile: PKI/server.crt}
      clientKey: {fn::readFile: PKI/server.key}
      source: a
      about: the backups of other in s3://backups at s3.example.org:443
      content: before
      instances: [main-postgres-1-instance]
outputs:
  stanza: ${stanza.stanza}
`

// TestBackupsThatGetLost has previews say what a restore is from, what is lost with backups that are taken out, and how a
// restore that has changed reaches instances of OpenStack. Backups that come again have another stanza.
func TestBackupsThatGetLost(t *testing.T) {
	t.Parallel()
	program := strings.ReplaceAll(backedUp, "PKI", engine.Root()+"/provider/testdata/pki")
	s := engine.New(t, engine.Options{Program: program})
	const founds = "restore: this update founds the cluster from the backups of other in s3://backups at s3.example.org:443"
	assert.Contains(t, s.Preview().Diagnostics, founds+". It has no effect if a node has data")
	up := s.Up()
	assert.Contains(t, up.Diagnostics, founds)
	assert.NotContains(t, up.Diagnostics, "backup is taken out")
	assert.NotContains(t, up.Diagnostics, "--replace")
	assert.True(t, s.Up().Unchanged())
	stanza := s.Output("stanza")

	s.Program(strings.Replace(program, "content: before", "content: corrected", 1))
	const command = "pulumi up --replace '**::main-postgres-1-instance'"
	assert.Contains(t, s.Preview().Diagnostics, command)
	assert.Contains(t, s.Up().Diagnostics, command)
	assert.NotContains(t, s.Preview().Diagnostics, command)

	out := strings.Replace(program, "  stanza:\n    type: quorum:PostgresStanza\n    properties: {scope: main}\n", "", 1)
	s.Program(strings.NewReplacer("      backupStanza: ${stanza.stanza}\n", "", "  stanza: ${stanza.stanza}\n", "  none: none\n").Replace(out))
	const forgets = "this update deletes its key"
	assert.Contains(t, s.Preview().Diagnostics, "What is in stanza "+stanza+" stays there, and "+forgets)
	assert.Contains(t, s.Up().Diagnostics, forgets)
	assert.NotContains(t, s.Preview().Diagnostics, forgets)
	s.Program(program)
	s.Up()
	assert.NotEqual(t, stanza, s.Output("stanza"))
}
