package roles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
)

const theirBackup = "      backup: {s3: {endpoint: 'https://s3.example.org', bucket: backups, accessKey: {fn::secret: key-of-s3}, secretKey: {fn::secret: secret-of-s3}}%s}\n"

// withBackups are clusters: one of real etcd, and one of PostgreSQL whose gates ask nobody.
const withBackups = `
resources:
  etcd:
    type: quorum:EtcdCluster
    properties:
      sshAdminPublicKey: KEY
      etcd: {grpcGatewayEnabled: true, clientCertAuth: false}
ETCD      libvirt: {volume: {pool: default, baseVolumeName: debian-13.qcow2}, dataVolume: {pool: default, size: 12884901888}, cloudInitVolumePool: default, networks: [{networkName: default, prefixLength: 24}]}
      members: [{name: etcd-1, ip: SUBNET.11}]
  postgres:
    type: quorum:PostgresCluster
    properties:
      sshAdminPublicKey: KEY
      skipHealthChecks: true
      etcd: {endpoints: "${etcd.endpoints}", caCert: "${etcd.caCert}", username: root, password: "${etcd.rootPassword}"}
      patroni: {scope: main, isSynchronous: false}
POSTGRES      libvirt: {volume: {pool: default, baseVolumeName: debian-13.qcow2}, dataVolume: {pool: default, size: 12884901888}, cloudInitVolumePool: default, networks: [{networkName: default, prefixLength: 24}]}
      nodes: [{name: postgres-1, ip: SUBNET.31}]
      loadBalancers: [{name: postgres-lb, ip: SUBNET.41}]
outputs:
  etcdKey: ${etcd.backupEncryptionKey}
  etcdTimes: ${etcd.backupTimes}
  postgresKey: ${postgres.backupEncryptionKey}
  postgresStanza: ${postgres.backupStanza}
  postgresTimes: ${postgres.backupTimes}
`

// TestBackupsTakenOut has backups leave a program: the preview says first that the keys go that were made, and nothing of
// them is left. The former key can be given back, and a backup without it has another one. Of another key for the same
// repository the preview says what it costs.
func TestBackupsTakenOut(t *testing.T) {
	t.Parallel()
	subnet := loopback.Subnet(t)
	program := func(etcd, postgres string) string {
		return strings.NewReplacer("KEY", engine.SSHKey, "SUBNET", subnet, "ETCD", etcd, "POSTGRES", postgres).Replace(withBackups)
	}
	s := engine.New(t, engine.Options{Program: program(fmt.Sprintf(theirBackup, ""), fmt.Sprintf(theirBackup, ""))})
	etcdmachines.Run(t, s.World)
	assert.NotContains(t, s.Up().Diagnostics, "backup is taken out")
	was := s.Outputs()
	for _, name := range []string{"etcdKey", "postgresKey", "postgresStanza"} {
		assert.NotEmpty(t, was[name], name)
	}
	const (
		etcd     = "backup is taken out: no more snapshots are made"
		postgres = "backup is taken out: WAL is no longer archived"
	)
	require.NotContains(t, s.Preview().Diagnostics, "taken out")

	s.Program(program("", ""))
	for _, said := range []string{s.Preview().Diagnostics, s.Up().Diagnostics} {
		assert.Contains(t, said, etcd)
		assert.Contains(t, said, postgres)
		assert.Contains(t, said, "stanza "+was["postgresStanza"].(string)+" stays there")
	}
	for name, left := range s.Outputs() {
		assert.Empty(t, left, name)
	}
	for _, r := range s.Resources() {
		assert.NotContains(t, string(r.URN), "backup-password")
	}
	assert.NotContains(t, s.Preview().Diagnostics, "taken out", "it is said once")

	s.Program(program(fmt.Sprintf(theirBackup, ""), fmt.Sprintf(theirBackup, "")))
	s.Up()
	for _, name := range []string{"etcdKey", "postgresKey", "postgresStanza"} {
		assert.NotEmpty(t, s.Outputs()[name], name)
		assert.NotEqual(t, was[name], s.Outputs()[name], name)
	}
	given := func(key, more string) string {
		return fmt.Sprintf(theirBackup, fmt.Sprintf(", encryptionKey: {fn::secret: %q}%s", was[key], more))
	}
	s.Program(program(given("etcdKey", ""), given("postgresKey", fmt.Sprintf(", stanza: %s", was["postgresStanza"]))))
	const deletes = "backup.encryptionKey is given: this update deletes the key that was made"
	for _, said := range []string{s.Preview().Diagnostics, s.Up().Diagnostics} {
		for _, anew := range []string{"backup.s3.prefix", "backup.stanza"} {
			assert.Contains(t, said, "A new key needs another "+anew+" with it")
		}
		assert.Contains(t, said, deletes)
	}
	assert.NotContains(t, s.Preview().Diagnostics, deletes, "it is said once")
	for _, name := range []string{"etcdKey", "postgresKey", "postgresStanza"} {
		assert.Equal(t, was[name], s.Outputs()[name], name)
	}

	another := func(more string) string {
		return fmt.Sprintf(theirBackup, ", encryptionKey: {fn::secret: hush-hush-hush-hush}"+more)
	}
	const refuses = "and refuses to write there"
	s.Program(program(another(""), another(fmt.Sprintf(", stanza: %s", was["postgresStanza"]))))
	preview := s.Preview()
	assert.Contains(t, preview.Diagnostics, "restic cannot read that repository with it, "+refuses)
	assert.Contains(t, preview.Diagnostics, "pgBackRest cannot read that repository with it, "+refuses)
	for _, key := range []string{"hush-hush", was["etcdKey"].(string), was["postgresKey"].(string)} {
		assert.NotContains(t, preview.Stdout+preview.Stderr, key)
	}
	s.Program(program(strings.Replace(another(""), "bucket: backups", "bucket: others", 1), another(", stanza: other")))
	assert.NotContains(t, s.Preview().Diagnostics, refuses)
}
