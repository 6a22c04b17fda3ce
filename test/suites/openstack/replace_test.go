package openstack

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/postgresmachines"
)

const s3 = "s3: {endpoint: 'https://s3.example.org', bucket: backups, accessKey: {fn::secret: key-of-s3}, secretKey: {fn::secret: secret-of-s3}}"

// named is the name of the one resource of a type in the state whose name has a text.
func named(t *testing.T, s *engine.Stack, kind, text string) string {
	t.Helper()
	var names []string
	for _, r := range s.Resources() {
		if strings.HasSuffix(string(r.Type), ":"+kind) && strings.Contains(r.URN.Name(), text) {
			names = append(names, r.URN.Name())
		}
	}
	require.Len(t, names, 1)
	return names[0]
}

// TestReplacesOfARestoredCluster has an instance of a cluster that was founded from a snapshot made anew, while the program
// still says what from: it has its data volume, and goes on in the cluster that there is.
func TestReplacesOfARestoredCluster(t *testing.T) {
	t.Parallel()
	cloud := openstack.New(t)
	const quota = "      etcd: {spaceQuota: 2147483648}\n"
	program := cluster(t, quota, quota+"      backup: {"+s3+"}\n      restore: {"+s3+", encryptionKey: {fn::secret: key-of-all-backups}}\n") + "  clusterId: ${etcd.clusterId}\n"
	s := engine.New(t, engine.Options{Program: program, Plugins: plugins, Env: cloud.Env(), Config: map[string]string{
		"imageId": openstack.Image, "flavorId": openstack.Flavor, "networkId": openstack.Network, "subnetId": openstack.Subnet,
		"subnet": loopback.Subnet(t), "adminNetwork": "10.0.1.0/24", "sshPublicKey": engine.SSHKey,
	}})
	etcdmachines.Follow(t, cloud)
	const founds = "restore: this update founds the cluster from a snapshot"
	assert.Contains(t, s.Up().Diagnostics, founds)
	before := s.Outputs()

	cloud.Forget()
	replaced := s.Up("--replace", "**::"+named(t, s, "Instance", "etcd-2"))
	assert.NotContains(t, replaced.Diagnostics, founds)
	assert.Equal(t, []string{"delete servers etcd-2", "create servers etcd-2"}, cloud.Log(), "its volume and its port stay")
	after := s.Outputs()
	assert.NotEqual(t, before["machineIds"], after["machineIds"])
	for _, name := range []string{"clusterId", "memberIds"} {
		assert.Equal(t, before[name], after[name], name)
	}
	assert.True(t, s.Up().Unchanged())
}

// TestReplacesOfWhatAnInstanceHas has the volume or the port of a running instance made anew: the cluster is asked first, and
// the instance goes before what it has.
func TestReplacesOfWhatAnInstanceHas(t *testing.T) {
	t.Parallel()
	cloud := openstack.New(t)
	program := cluster(t, "", "") + "  clusterId: ${etcd.clusterId}\n"
	s := engine.New(t, engine.Options{Program: program, Plugins: plugins, Env: cloud.Env(), Config: map[string]string{
		"imageId": openstack.Image, "flavorId": openstack.Flavor, "networkId": openstack.Network, "subnetId": openstack.Subnet,
		"subnet": loopback.Subnet(t), "adminNetwork": "10.0.1.0/24", "sshPublicKey": engine.SSHKey,
	}})
	etcdmachines.Follow(t, cloud)
	s.Up()
	before := s.Outputs()
	for kind, want := range map[string][]string{
		"Volume": {"delete servers etcd-2", "delete volumes etcd-2-data", "create volumes etcd-2-data", "create servers etcd-2"},
		"Port":   {"delete servers etcd-3", "delete ports etcd-3", "create ports etcd-3", "create servers etcd-3"},
	} {
		cloud.Forget()
		member := strings.Fields(want[0])[2]
		s.Up("--replace", "**::"+named(t, s, kind, member))
		assert.Equal(t, want, cloud.Log(), kind)
	}
	assert.Equal(t, before["clusterId"], s.Outputs()["clusterId"])
	assert.True(t, s.Up().Unchanged())
}

const databases = `
  main:
    type: quorum:PostgresCluster
    options: {customTimeouts: {create: 300s, update: 300s}}
    properties:
      sshAdminPublicKey: ${sshPublicKey}
      etcd: {endpoints: "${etcd.endpoints}", caCert: "${etcd.caCert}", username: root, password: "${etcd.rootPassword}"}
      postgres: {access: [{users: [postgres], networks: [127.0.0.0/8]}]}
      patroni: {scope: main, loopWait: 3, watchdogMode: "off"}
      openstack:
        imageId: ${imageId}
        flavorId: ${flavorId}
        networkPort: {networkId: "${networkId}", subnetId: "${subnetId}"}
      nodes:
        - {name: postgres-1, ip: "${subnet}.21", openstack: {dataVolume: {size: 10}}}
        - {name: postgres-2, ip: "${subnet}.22", openstack: {dataVolume: {size: 10}}}
        - {name: postgres-3, ip: "${subnet}.23", openstack: {dataVolume: {size: 10}}}
      loadBalancers:
        - {name: lb-1, ip: "${subnet}.31"}
`

// TestReplacesOfADatabase has instances of a PostgreSQL cluster made anew, among them the one that leads: it hands over first,
// and all stay the cluster that they were.
func TestReplacesOfADatabase(t *testing.T) {
	t.Parallel()
	cloud := openstack.New(t)
	program := strings.Replace(cluster(t, "spaceQuota: 2147483648", "spaceQuota: 2147483648, grpcGatewayEnabled: true, clientCertAuth: false"), "\noutputs:\n", databases+"\noutputs:\n  systemId: ${main.systemId}\n", 1)
	s := engine.New(t, engine.Options{Program: program, Plugins: plugins, Env: cloud.Env(), Config: map[string]string{
		"imageId": openstack.Image, "flavorId": openstack.Flavor, "networkId": openstack.Network, "subnetId": openstack.Subnet,
		"subnet": loopback.Subnet(t), "adminNetwork": "10.0.1.0/24", "sshPublicKey": engine.SSHKey,
	}})
	etcdmachines.Follow(t, cloud)
	postgresmachines.Follow(t, cloud)
	s.Up()
	before := s.Outputs()

	for _, name := range []string{"postgres-1", "postgres-2", "postgres-3"} {
		cloud.Forget()
		s.Up("--replace", "**::"+named(t, s, "Instance", name))
		assert.Equal(t, []string{"delete servers " + name, "create servers " + name}, cloud.Log(), "its volume and its port stay")
		assert.Equal(t, before["systemId"], s.Outputs()["systemId"])
	}
	assert.True(t, s.Up().Unchanged())
}
