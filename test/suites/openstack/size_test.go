package openstack

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
)

// TestGrowthThatFails has OpenStack refuse to extend the volume of a server. The plugin takes it for extended then:
// no instance is made for that, and updates fail until it is.
func TestGrowthThatFails(t *testing.T) {
	t.Parallel()
	cloud := openstack.New(t)
	s := engine.New(t, engine.Options{Program: server(t), Plugins: plugins, Env: cloud.Env()})
	s.Up()
	cloud.Forget()
	cloud.Quota(4)
	s.Program(server(t, "{size: 4}", "{size: 5}"))
	assert.Contains(t, s.UpFails().Diagnostics, "exceeds allowed gigabytes quota")
	assert.Contains(t, s.UpFails().Diagnostics, "the data volume of etcd-1 has 4 GiB, not 5: an earlier update could not extend it. Run `pulumi up` again")
	assert.NotContains(t, cloud.Log(), "delete servers etcd-1-test", "the machine stays as it is")
	cloud.Quota(0)
	assert.Contains(t, s.Up().Diagnostics, "openstack.dataVolume.size: 4 -> 5")
	assert.Equal(t, map[string]int{"etcd-1-test-data": 5}, cloud.Sizes())
	assert.Contains(t, cloud.Log(), "delete servers etcd-1-test")
	assert.True(t, s.Up("--refresh").Unchanged())

	cloud.Forget()
	cloud.Quota(5)
	s.Program(server(t, "{size: 4}", "{size: 6}"))
	s.UpFails()
	s.UpFails()
	s.Program(server(t, "{size: 4}", "{size: 5}"))
	s.Up("--refresh")
	assert.True(t, s.Up().Unchanged())
	assert.NotContains(t, cloud.Log(), "delete servers etcd-1-test")
}

// TestGrowthThatFailsHalfway has the volumes of a cluster grow but for one, and the program take that back: what
// each may have is what it has.
func TestGrowthThatFailsHalfway(t *testing.T) {
	t.Parallel()
	cloud := openstack.New(t)
	s := engine.New(t, engine.Options{Program: cluster(t), Plugins: plugins, Env: cloud.Env(), Config: map[string]string{
		"imageId": openstack.Image, "flavorId": openstack.Flavor, "networkId": openstack.Network, "subnetId": openstack.Subnet,
		"subnet": loopback.Subnet(t), "adminNetwork": "10.0.1.0/24", "sshPublicKey": engine.SSHKey,
	}})
	etcdmachines.Follow(t, cloud)
	s.Up()
	cloud.Quota(31)
	s.Program(cluster(t, "dataVolume: {size: 10}", "dataVolume: {size: 11}"))
	assert.Contains(t, s.UpFails().Diagnostics, "exceeds allowed gigabytes quota")
	assert.Equal(t, map[string]int{"etcd-1-data": 11, "etcd-2-data": 10, "etcd-3-data": 10}, cloud.Sizes())
	s.Program(cluster(t))
	refused := s.PreviewFails().Diagnostics
	assert.Contains(t, refused, "openstack.dataVolume.size of etcd-1 must be 11 GiB or more, not 10: OpenStack makes no volume smaller")
	assert.NotContains(t, refused, "of etcd-2 must be")
	cloud.Forget()
	s.Program(cluster(t, `ip: "${subnet}.11"`, `ip: "${subnet}.11", openstack: {dataVolume: {size: 11}}`))
	s.Up("--refresh")
	assert.Empty(t, cloud.Log())
	assert.True(t, s.Up().Unchanged())
}
