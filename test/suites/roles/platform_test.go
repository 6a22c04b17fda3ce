package roles

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// platform is a machine of each role. What one needs of another is an output,
// so unknown at first, and secret where it should be.
var platform = engine.Authority + `
  base: {type: "libvirt:Volume", properties: {name: base.qcow2, pool: images}}
  etcd-1:
    type: quorum:EtcdServer
    properties:
` + at("10.77.0.11") + `      etcd: {grpcGatewayEnabled: true, clientCertAuth: false}
      cluster: {initialMembers: [{name: etcd-1, ip: 10.77.0.11}]}
      auth: {bootstrap: true, rootPassword: hush-hush-root}
      ca: ${authority}
  pg-1:
    type: quorum:PostgresServer
    properties:
` + at("10.77.0.21") + `      postgres: {superuserPassword: hush-hush-s, replicatorPassword: hush-hush-r}
      patroni: {scope: main}
      etcd: {endpoints: ["${etcd-1.endpoint}"], caCert: "${etcd-1.caCert}", username: patroni, password: "${password}"}
      ca: ${authority}
  dns-1:
    type: quorum:CorednsServer
    properties:
` + at("10.77.0.31") + `      etcd: {endpoints: ["${etcd-1.endpoint}"], caCert: "${etcd-1.caCert}", username: dns, password: "${password}"}
      keyPrefix: /zones/
  lb-1:
    type: quorum:PostgresLoadBalancer
    properties:
` + at("10.77.0.41") + `      haproxy: {servers: ["${pg-1.ip}"]}
      caCert: ${pg-1.caCert}
variables:
  authority: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
  password: {fn::secret: "hush-hush-${etcd-1.machineId}"}
outputs:
  api: ${pg-1.apiEndpoint}
  dns: ${dns-1.endpoint}
  primary: ${lb-1.endpoint}
  replicas: ${lb-1.replicaEndpoint}
  clientKey: ${pg-1.clientKey}
`

// at are the inputs of every machine, for that address.
func at(ip string) string {
	return fmt.Sprintf(`      sshAdminPublicKey: %s
      libvirt:
        volume: {pool: default, baseVolumeId: "${base.id}"}
        cloudInitVolumePool: default
        networks: [{networkName: default, ip: %s, prefixLength: 24}]
`, engine.SSHKey, ip)
}

// TestPlatform has the roles work together in one update.
func TestPlatform(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: platform})
	preview := s.Preview("--diff")
	assert.Empty(t, s.World.Events(), "a preview touches nothing")
	up := s.Up()
	assert.Equal(t, preview.Changes["create"], up.Changes["create"], "preview tells what up does")
	assert.True(t, s.Up().Unchanged())
	hides(t, preview)
	hides(t, up)
	hidden(t, s.Export())

	outputs := s.Outputs()
	assert.Contains(t, outputs["clientKey"], "PRIVATE KEY")
	delete(outputs, "clientKey")
	assert.Equal(t, map[string]any{
		"api": "10.77.0.21:4443", "dns": "10.77.0.31:53", "primary": "10.77.0.41:5432", "replicas": "10.77.0.41:5433",
	}, outputs)
	for name, kind := range map[string]string{"etcd-1": "EtcdServer", "pg-1": "PostgresServer", "dns-1": "CorednsServer", "lb-1": "PostgresLoadBalancer"} {
		for output, v := range s.Resource(kind, name).Outputs {
			_, secret := v.(map[string]any)
			assert.Equal(t, output == "clientKey", secret, "%s of %s", output, name)
		}
	}
	for machine, text := range map[string]string{"pg-1": "hush-hush-", "dns-1": "10.77.0.11:2379", "lb-1": "10.77.0.21"} {
		assert.Contains(t, s.World.State(machine), text, machine)
	}
	s.Destroy()
	assert.Empty(t, s.World.Objects(), "nothing is left behind")
}
