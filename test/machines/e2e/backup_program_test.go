//go:build e2e

package e2e

import "strings"

// withoutS3 is a program without where its backups would be.
func withoutS3(program string) string {
	before, rest, _ := strings.Cut(program, "  s3:\n")
	_, rest, _ = strings.Cut(rest, "  root:\n")
	return before + "  root:\n" + rest
}

// backedUp is a PostgreSQL cluster with backups, and the etcd that it needs.
const backedUp = `
config:
  sshPublicKey: {type: string}
  s3Endpoint: {type: string}
  s3Ca: {type: string}
variables:
  volume: {pool: quorum, baseVolumeName: base.qcow2}
  s3:
    endpoint: ${s3Endpoint}
    bucket: backups
    prefix: postgres
    accessKey: {fn::secret: access-of-s3}
    secretKey: {fn::secret: secret-of-s3}
    caCert: ${s3Ca}
  root:
    endpoints: ${store.endpoints}
    caCert: ${store.caCert}
    username: root
    password: ${store.rootPassword}
resources:
  store:
    type: quorum:EtcdCluster
    properties:
      sshAdminPublicKey: ${sshPublicKey}
      installDependencies: false
      etcd: {clientCertAuth: false, grpcGatewayEnabled: true}
      members:
        - name: store-1
          libvirt:
            memory: 1024
            volume: ${volume}
            dataVolume: {pool: quorum, size: 1073741824}
            cloudInitVolumePool: quorum
            networks: [{networkName: quorum, ip: 10.77.0.51, prefixLength: 24, gateway: 10.77.0.1}]
  source:
    type: quorum:PostgresCluster
    properties:
      sshAdminPublicKey: ${sshPublicKey}
      installDependencies: false
      etcd: ${root}
      patroni: {scope: source, watchdogMode: automatic}
      backup: {s3: "${s3}"}
      nodes:
        - name: source-1
          libvirt:
            memory: 1024
            volume: ${volume}
            dataVolume: {pool: quorum, size: 2147483648}
            cloudInitVolumePool: quorum
            networks: [{networkName: quorum, ip: 10.77.0.52, prefixLength: 24, gateway: 10.77.0.1}]
        - name: source-2
          libvirt:
            memory: 1024
            volume: ${volume}
            dataVolume: {pool: quorum, size: 2147483648}
            cloudInitVolumePool: quorum
            networks: [{networkName: quorum, ip: 10.77.0.53, prefixLength: 24, gateway: 10.77.0.1}]
      loadBalancers:
        - name: source-lb
          libvirt:
            memory: 512
            volume: ${volume}
            cloudInitVolumePool: quorum
            networks: [{networkName: quorum, ip: 10.77.0.54, prefixLength: 24, gateway: 10.77.0.1}]
RESTORED
outputs:
  stanza: ${source.backupStanza}
  key: ${source.backupEncryptionKey}
  times: ${source.backupTimes}
`

// restored is a cluster beside that one, which is made of its backups.
const restored = `
  restored:
    type: quorum:PostgresCluster
    properties:
      sshAdminPublicKey: ${sshPublicKey}
      installDependencies: false
      etcd: ${root}
      patroni: {scope: restored, watchdogMode: automatic, isSynchronous: false}
      backup: {s3: "${s3}"}
RESTORE
      nodes:
        - name: restored-1
          libvirt:
            memory: 1024
            volume: ${volume}
            dataVolume: {pool: quorum, size: 2147483648}
            cloudInitVolumePool: quorum
            networks: [{networkName: quorum, ip: 10.77.0.55, prefixLength: 24, gateway: 10.77.0.1}]
      loadBalancers:
        - name: restored-lb
          libvirt:
            memory: 512
            volume: ${volume}
            cloudInitVolumePool: quorum
            networks: [{networkName: quorum, ip: 10.77.0.56, prefixLength: 24, gateway: 10.77.0.1}]
`
