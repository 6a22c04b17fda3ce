// Package openstack has the real engine and the real openstack plugin make
// machines in a made-up cloud.
package openstack

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

var plugins = []engine.Plugin{engine.Quorum, engine.FakeTLS, engine.RealOpenStack}

// server is a program with an EtcdServer, with pairs of old and new text replaced.
func server(t *testing.T, oldNew ...string) string {
	t.Helper()
	program := engine.Authority + `
  one:
    type: quorum:EtcdServer
    properties:
      name: etcd-1
      sshAdminPublicKey: ` + engine.SSHKey + `
      openstack:
        imageId: ` + openstack.Image + `
        flavorId: ` + openstack.Flavor + `
        networkPort: {networkId: ` + openstack.Network + `, subnetId: ` + openstack.Subnet + `, ip: 10.77.0.11}
        keypairName: ` + openstack.Keypair + `
        dataVolume: {size: 4}
        namespace: test
      cluster: {initialMembers: [{name: etcd-1, ip: 10.77.0.11}]}
      etcd: {spaceQuota: 1073741824}
      ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
outputs:
  machineId: ${one.machineId}
  generation: ${one.generation}
`
	for i := 0; i < len(oldNew); i += 2 {
		require.Contains(t, program, oldNew[i])
		program = strings.Replace(program, oldNew[i], oldNew[i+1], 1)
	}
	return program
}

// TestLife takes an instance through its life. What it would take up while it
// runs makes another one, with the same port and volume, and preview says so.
func TestLife(t *testing.T) {
	t.Parallel()
	cloud := openstack.New(t)
	s := engine.New(t, engine.Options{Program: server(t), Plugins: plugins, Env: cloud.Env()})
	s.Up()
	assert.Equal(t, []string{"etcd-1-test"}, cloud.Names("servers"))
	assert.Equal(t, []string{"etcd-1-test"}, cloud.Names("ports"))
	assert.Equal(t, []string{"etcd-1-test-data"}, cloud.Names("volumes"))
	machines, err := cloud.Machines()
	require.NoError(t, err)
	require.Len(t, machines, 1)
	assert.Contains(t, machines[0].UserData, "#cloud-config\n")
	assert.Equal(t, s.Output("machineId"), machines[0].ID)
	assert.Empty(t, s.Up("--diff").Changed())
	export := s.Export()
	assert.NotContains(t, export, "PRIVATE KEY")

	const quota = "spaceQuota: 1073741824"
	generation := s.Output("generation")
	cloud.Forget()
	s.Program(server(t, quota, "spaceQuota: 2147483648"))
	assert.Equal(t, "replace Instance, update MachineChange", s.Preview("--diff").Changed())
	assert.Equal(t, "replace Instance, update MachineChange", s.Up().Changed())
	assert.Equal(t, []string{"delete servers etcd-1-test", "create servers etcd-1-test"}, cloud.Log(), "it goes first: two cannot have its port and volume")
	assert.NotEqual(t, generation, s.Output("generation"))

	more := []string{quota, "spaceQuota: 2147483648", "initialMembers: [", "initialMembers: [{name: etcd-2, ip: 10.77.0.12}, "}
	generation = s.Output("generation")
	s.Program(server(t, more...))
	assert.Equal(t, "update MachineChange", s.Up("--diff").Changed(), "a member that is there reads no more of them")
	assert.Equal(t, generation, s.Output("generation"), "it is still of what the machine was handed")

	for _, change := range [][]string{
		{openstack.Image, openstack.Image2},
		{openstack.Flavor, openstack.Flavor2},
	} {
		more = append(more, change...)
		s.Program(server(t, more...))
		assert.Equal(t, "replace Instance, update MachineChange", s.Preview().Changed())
		assert.Equal(t, "replace Instance, update MachineChange", s.Up().Changed(), "neither rebuilt nor resized by Nova")
	}
	more = append(more, engine.SSHKey, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEQEgiTPrEHuz8PlwYN9KnPHb3rUaWb1RX4XbU1c2Y6d another@example.org")
	s.Program(server(t, more...))
	assert.Contains(t, s.Preview().Diagnostics, "rebuild: a fresh machine")
	assert.Equal(t, "replace Instance, update MachineChange", s.Up().Changed(), "user data is handed over once")
	more = append(more, "{size: 4}", "{size: 5}")
	s.Program(server(t, more...))
	assert.Equal(t, "replace Instance, update MachineChange, update Volume", s.Up().Changed(), "the volume grows")
	assert.NotEqual(t, generation, s.Output("generation"), "another instance is handed all")

	s.Destroy()
	for _, kind := range []string{"servers", "ports", "volumes"} {
		assert.Empty(t, cloud.Names(kind))
	}
}

// TestPreviews has previews say what each kind of change does to an instance.
func TestPreviews(t *testing.T) {
	t.Parallel()
	cloud := openstack.New(t)
	s := engine.New(t, engine.Options{Program: server(t), Plugins: plugins, Env: cloud.Env()})
	s.Up()
	for name, change := range map[string][]string{
		"setting":                {"spaceQuota: 1073741824", "spaceQuota: 2147483648"},
		"image":                  {openstack.Image, openstack.Image2},
		"flavor":                 {openstack.Flavor, openstack.Flavor2},
		"key-pair":               {"        keypairName: " + openstack.Keypair + "\n", ""},
		"zone":                   {"namespace: test", "namespace: test\n        availabilityZone: nova"},
		"config-drive":           {"namespace: test", "namespace: test\n        configDrive: false"},
		"address":                {"ip: 10.77.0.11}\n", "ip: 10.77.0.12}\n", "ip: 10.77.0.11}]", "ip: 10.77.0.12}]"},
		"network":                {openstack.Network, "00000000-0000-4000-8000-0000000000cc"},
		"security-groups":        {"ip: 10.77.0.11}\n", "ip: 10.77.0.11, securityGroupIds: [00000000-0000-4000-8000-0000000000aa]}\n"},
		"volume-size":            {"{size: 4}", "{size: 5}"},
		"volume-smaller-refused": {"{size: 4}", "{size: 3}"},
		"volume-type-refused":    {"{size: 4}", "{size: 4, type: fast}"},
		"volume-zone-allowed":    {"{size: 4}", "{size: 4, availabilityZone: nova}", "      etcd: {", "      allowDataLoss: true\n      etcd: {"},
		"volume-gone-refused":    {"        dataVolume: {size: 4}\n", ""},
		"name-in-openstack":      {"namespace: test", "namespace: other"},
		"more-of-the-cluster":    {"initialMembers: [", "initialMembers: [{name: etcd-2, ip: 10.77.0.12}, "},
	} {
		s.Program(server(t, change...))
		preview := s.Preview
		if strings.HasSuffix(name, "-refused") {
			preview = s.PreviewFails
		}
		p := preview()
		p.Diagnostics = ofPlugin.ReplaceAllString(p.Diagnostics, "")
		previews.Reads(t, name, "10.77.0", p)
	}
}

// ofPlugin is what the plugin says of itself in each preview.
var ofPlugin = regexp.MustCompile(`warning: provider config warning: .*\n`)

// TestRefuses has preview refuse what Nova would refuse when the former
// instance is gone already.
func TestRefuses(t *testing.T) {
	t.Parallel()
	cloud := openstack.New(t)
	s := engine.New(t, engine.Options{Program: server(t), Plugins: plugins, Env: cloud.Env()})
	s.Up()
	s.Program(server(t, "        dataVolume: {size: 4}\n", ""))
	without := s.PreviewFails().Diagnostics
	assert.Contains(t, without, "without a data volume")
	assert.Contains(t, without, "this change deletes the data of etcd-1 (the data volume of etcd-1 in test): no other machine is known to have them")
	cloud.Forget()
	const unknown = "00000000-0000-4000-8000-0000000000ff"
	s.Program(server(t, "keypairName", "serverGroupId: "+unknown+"\n        keypairName"))
	assert.Contains(t, s.PreviewFails().Diagnostics, "resource '"+unknown+"' does not exist")
	s.UpFails()
	s.Program(server(t, "etcd: {", "chrony: {servers: ["+servers(3000)+"]}\n      etcd: {"))
	assert.Contains(t, s.PreviewFails().Diagnostics, "openstack: accepts at most 65535 bytes of user data")
	s.UpFails()
	assert.Empty(t, cloud.Log(), "nothing was touched")
}

// servers are many time servers, by names that cannot be compressed.
func servers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{url: n%x}, ", sha256.Sum224([]byte{byte(i), byte(i >> 8)}))
	}
	return b.String()
}
