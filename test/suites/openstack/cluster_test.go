package openstack

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
)

// cluster is the example, with pairs of old and new text replaced.
func cluster(t *testing.T, oldNew ...string) string {
	t.Helper()
	program := engine.Example(t, filepath.Join("examples", "openstack", "Pulumi.yaml")) +
		"  memberIds: ${etcd.memberIds}\n  machineIds: ${etcd.machineIds}\n"
	for i := 0; i < len(oldNew); i += 2 {
		require.Contains(t, program, oldNew[i])
		program = strings.Replace(program, oldNew[i], oldNew[i+1], 1)
	}
	return program
}

// instances is what happened to instances and to gates, in that order.
func instances(r engine.Result) (all []string) {
	for _, step := range r.Steps {
		kind := step.Type[strings.LastIndex(step.Type, ":")+1:]
		if slices.Contains([]string{"Instance", "EtcdHealth", "EtcdMember"}, kind) && step.Op != "replace" {
			all = append(all, step.Op+" "+kind+" "+strings.TrimPrefix(step.Name, "etcd-"))
		}
	}
	return all
}

// TestRollsOneByOne has a cluster of real etcd take up a setting that it would
// take up while it runs elsewhere: its instances are rebuilt, one after the
// other, with their data. Then it grows, which leaves those that are there alone.
func TestRollsOneByOne(t *testing.T) {
	t.Parallel()
	cloud, subnet := openstack.New(t), loopback.Subnet(t)
	s := engine.New(t, engine.Options{Program: cluster(t), Plugins: plugins, Env: cloud.Env(), Config: map[string]string{
		"imageId": openstack.Image, "flavorId": openstack.Flavor, "networkId": openstack.Network, "subnetId": openstack.Subnet,
		"subnet": subnet, "adminNetwork": "10.0.1.0/24", "sshPublicKey": engine.SSHKey,
	}})
	etcdmachines.Follow(t, cloud)
	previews.Reads(t, "cluster/created", subnet, s.Preview())
	s.Up()
	for name, change := range map[string][]string{
		"image":  {"imageId: ${imageId}", "imageId: 00000000-0000-4000-8000-00000000000b"},
		"flavor": {`ip: "${subnet}.12"}`, `ip: "${subnet}.12", openstack: {flavorId: ` + openstack.Flavor2 + "}}"},
		"several": {
			"imageId: ${imageId}", "imageId: 00000000-0000-4000-8000-00000000000b", "{size: 10}", "{size: 20}",
			"spaceQuota: 2147483648", "spaceQuota: 4294967296", "\noutputs:\n", "        - {name: etcd-4, ip: \"${subnet}.14\"}\n\noutputs:\n",
		},
		"grown-and-removed": {"{size: 10}", "{size: 20}", "        - {name: etcd-3, ip: \"${subnet}.13\"}\n", ""},
	} {
		s.Program(cluster(t, change...))
		previews.Reads(t, "cluster/"+name, subnet, s.Preview())
	}
	s.Program(cluster(t))
	previews.Reads(t, "cluster/replace-data", subnet, s.Preview("--replace", "**::etcd-etcd-2-data-volume"))
	previews.Reads(t, "cluster/replace-all-of-one", subnet, s.Preview("--replace", "**::etcd-etcd-2**"))
	assert.Equal(t, []string{"etcd"}, cloud.Names("os-server-groups"))
	assert.ElementsMatch(t, []string{"etcd-member", "etcd-client", "etcd-bastion"}, cloud.Names("security-groups"))
	assert.Empty(t, s.Up("--diff").Changed())

	setting := []string{"spaceQuota: 2147483648", "spaceQuota: 4294967296"}
	before := s.Outputs()
	s.Program(cluster(t, setting...))
	preview := s.Preview("--diff")
	for i := 1; i <= 3; i++ {
		_, replaced := preview.Step("replace", "Instance", fmt.Sprintf("etcd-etcd-%d-instance", i))
		assert.True(t, replaced, preview.Stdout)
	}
	rolled := s.Up()
	var want []string
	for i := 1; i <= 3; i++ {
		want = append(want, fmt.Sprintf("update EtcdHealth without-etcd-%d", i), fmt.Sprintf("delete-replaced Instance etcd-%d-instance", i),
			fmt.Sprintf("create-replacement Instance etcd-%d-instance", i), fmt.Sprintf("update EtcdMember etcd-%d", i))
	}
	got := slices.DeleteFunc(instances(rolled), func(step string) bool { return strings.HasSuffix(step, "plan") || strings.HasSuffix(step, "healthy") })
	assert.Equal(t, want, got)
	assert.Equal(t, before["memberIds"], s.Outputs()["memberIds"], "each has its data")
	assert.NotEqual(t, before["machineIds"], s.Outputs()["machineIds"])

	more := "\noutputs:\n"
	for _, i := range []int{5, 4} {
		more = fmt.Sprintf("        - {name: etcd-%d, openstack: {imageId: %s, flavorId: %s, networkPort: {networkId: %s, subnetId: %s, ip: %s.1%[1]d}, dataVolume: {size: 10}}}\n",
			i, openstack.Image, openstack.Flavor, openstack.Network, openstack.Subnet, subnet) + more
	}
	s.Program(cluster(t, append(setting, "\noutputs:\n", more)...))
	grown := s.Up()
	assert.Equal(t, []string{"create Instance etcd-4-instance", "create Instance etcd-5-instance"},
		slices.DeleteFunc(instances(grown), func(step string) bool { return !strings.Contains(step, "Instance") }))
	assert.Len(t, s.Outputs()["memberIds"], 5)
	assert.Empty(t, s.Up("--diff").Changed())

	s.Destroy()
	for _, kind := range []string{"servers", "ports", "volumes", "os-server-groups", "security-groups", "security-group-rules"} {
		assert.Empty(t, cloud.Names(kind), kind)
	}
}
