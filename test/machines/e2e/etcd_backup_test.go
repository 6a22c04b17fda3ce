//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// storeBackedUp is an etcd cluster with backups, and a PostgreSQL that uses it.
const storeBackedUp = `
config:
  sshPublicKey: {type: string}
  s3Endpoint: {type: string}
  s3Ca: {type: string}
  baseVolume: {type: string, default: base.qcow2}
  domainType: {type: string, default: kvm}
variables:
  volume: {pool: quorum, baseVolumeName: "${baseVolume}"}
  s3:
    endpoint: ${s3Endpoint}
    bucket: backups
    prefix: etcd
    accessKey: {fn::secret: access-of-s3}
    secretKey: {fn::secret: secret-of-s3}
    caCert: ${s3Ca}
  ofPostgres:
    endpoint: ${s3Endpoint}
    bucket: backups
    prefix: postgres
    accessKey: {fn::secret: access-of-s3}
    secretKey: {fn::secret: secret-of-s3}
    caCert: ${s3Ca}
resources:
  store:
    type: quorum:EtcdCluster
    properties:
      sshAdminPublicKey: ${sshPublicKey}
      installDependencies: false
      etcd: {clientCertAuth: false, grpcGatewayEnabled: true}
      backup: {s3: "${s3}"}
      RESTORE
      members: MEMBERS
  source:
    type: quorum:PostgresCluster
    properties:
      sshAdminPublicKey: ${sshPublicKey}
      installDependencies: false
      etcd: {endpoints: "${store.endpoints}", caCert: "${store.caCert}", username: root, password: "${store.rootPassword}"}
      patroni: {scope: source, isSynchronous: false, watchdogMode: automatic}
      nodes: NODES
      loadBalancers: BALANCERS
outputs:
  key: ${store.backupEncryptionKey}
  times: ${store.backupTimes}
  rootPassword: ${store.rootPassword}
`

var (
	stores      = []string{"store-1", "store-2", "store-3"}
	storeSource = []string{"source-1", "source-2"}
)

// manyMachines are machines in a list of a program, from an address on.
func manyMachines(names []string, from int, more string) string {
	var all []string
	for i, name := range names {
		all = append(all, fmt.Sprintf(`{name: %s, libvirt: {memory: 1024, domainType: "${domainType}", volume: "${volume}", %s cloudInitVolumePool: quorum, networks: [{networkName: quorum, ip: 10.77.0.%d, prefixLength: 24, gateway: 10.77.0.1}]}}`,
			name, more, from+i))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// TestEtcdBackup loses all data of an etcd cluster under a PostgreSQL that goes on to be there,
// and gets them back from a snapshot in which another node led.
func TestEtcdBackup(t *testing.T) { restoreUnderPostgres(t, "isSynchronous: false, ") }

// TestEtcdBackupSynchronous is the same where the snapshot also names who had all commits.
func TestEtcdBackupSynchronous(t *testing.T) { restoreUnderPostgres(t, "") }

func restoreUnderPostgres(t *testing.T, replication string) {
	t.Helper()
	service := startS3(t)
	const data = "dataVolume: {pool: quorum, size: 1073741824},"
	program := func(restore string) string {
		return strings.NewReplacer(
			"isSynchronous: false, ", replication, "      RESTORE\n", restore, "MEMBERS", manyMachines(stores, 51, data), "NODES", manyMachines(storeSource, 54, data), "BALANCERS", manyMachines([]string{"source-lb"}, 56, ""),
		).Replace(storeBackedUp)
	}
	own := append(append([]string{"source-lb"}, stores...), storeSource...)
	b := backups{newStack(t, baked, program(""), own, map[string]string{"sshPublicKey": engine.SSHKey, "s3Endpoint": service.endpoint, "s3Ca": service.ca}), service}
	b.Up()
	times, _ := b.Outputs()["times"].(map[string]any)
	for _, name := range []string{"lastBackup", "verified", "restorableFrom"} {
		assert.NotEmpty(t, times[name], "%s of %v", name, times)
	}
	assert.Empty(t, b.Up().Ops(""))
	for _, name := range stores {
		keepsSecrets(t, name, b.Output("key"), "/etc/quorum-backup/s3.json")
		keepsSecrets(t, name, s3Secret, "/etc/quorum-backup/s3.json")
		keepsSecrets(t, name, b.Output("rootPassword"), "/etc/quorum-backup/root-password")
	}
	b.told(t, "quorum_backup_drill_last_success_timestamp_seconds")

	led := b.leader(t, "source")
	b.snapshot(t)
	on(t, led, "systemctl", "stop", "patroni")
	wait(t, "another leader", func() error {
		if now := b.leader(t, "source"); now == led {
			return errors.New(led + " leads")
		}
		return nil
	})
	asynchronous := replication != ""
	if !asynchronous { // else no commit is acknowledged
		on(t, led, "systemctl", "start", "patroni")
	}
	b.sql(t, "source", "CREATE TABLE numbers (n int); INSERT INTO numbers SELECT generate_series(1, 1000)")
	for _, name := range stores {
		on(t, name, "sh", "-c", "systemctl stop etcd && rm -r /var/lib/etcd/data/member")
	}
	on(t, led, "systemctl", "start", "patroni")

	restore := fmt.Sprintf("      restore: {s3: \"${s3}\", encryptionKey: {fn::secret: %s}}\n", b.Output("key"))
	b.Program(program(restore))
	b.Up()
	assert.Equal(t, "1000", b.sql(t, "source", "SELECT count(*) FROM numbers"), "nothing that was acknowledged is lost")
	if asynchronous {
		assert.NotEqual(t, led, b.leader(t, "source"), "the one of the snapshot has less")
	}
	b.sql(t, "source", "INSERT INTO numbers VALUES (1001)")
	hashes := map[string]bool{}
	for _, name := range stores {
		said := on(t, name, "sh", "-c", "journalctl --unit=etcd --output=cat | grep -E '^(etcd-join|quorum-backup): '")
		t.Log(name + " said:\n" + said)
		assert.Contains(t, said, "the data of the snapshot are in place")
		hashes[b.etcdctl(t, name, "get quorum/identity --print-value-only")] = true
	}
	assert.Len(t, hashes, 1)
	started := on(t, "store-1", "systemctl", "show", "--property=InvocationID", "etcd")
	b.Program(program(""))
	for _, op := range b.Up().Ops("") {
		assert.NotRegexp(t, "replace .*(volume|domain)", op)
	}
	assert.Equal(t, started, on(t, "store-1", "systemctl", "show", "--property=InvocationID", "etcd"), "nothing restarts")
	assert.Empty(t, b.Up().Ops(""))

	b.Program(program(restore))
	assert.Contains(t, b.UpFails().Diagnostics, "the cluster exists")
	b.Program(program(""))
	b.Up()
	b.Destroy()
}

// told waits until a member tells something of backups.
func (b backups) told(t *testing.T, what string) {
	t.Helper()
	wait(t, what, func() error {
		for _, name := range stores {
			told, err := hardware.do("exec", name, "cat", "/var/lib/prometheus/node-exporter/quorum-backup.prom")
			if err == nil && strings.Contains(told, what) {
				return nil
			}
		}
		return errors.New("no member tells it")
	})
}

// snapshot has one member make a snapshot now.
func (b backups) snapshot(t *testing.T) {
	t.Helper()
	for _, name := range stores {
		b.now(t, "schedule", name)
		said, err := hardware.do("exec", name, "setpriv", "--reuid=etcd", "--regid=etcd", "--clear-groups", "/usr/local/lib/quorum/quorum-backup", "look", "/tmp/now.json")
		if err == nil && strings.Contains(said, "is complete") {
			return
		}
	}
	t.Fatal("no member made a snapshot")
}

func (b backups) etcdctl(t *testing.T, member, command string) string {
	t.Helper()
	return on(t, member, "sh", "-c", "ETCDCTL_API=3 ETCDCTL_USER=root ETCDCTL_PASSWORD=$(cat /etc/quorum-backup/root-password) "+
		"etcdctl --endpoints=https://127.0.0.1:2379 --cacert=/etc/etcd/tls/ca.crt "+command)
}
