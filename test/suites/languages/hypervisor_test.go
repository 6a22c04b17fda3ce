package languages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// programs make a member on OpenStack.
var programs = map[string]struct{ file, text string }{
	"go": {"main.go", `package main

import (
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		_, err := quorum.NewEtcdCluster(ctx, "etcd", &quorum.EtcdClusterArgs{
			SshAdminPublicKey: pulumi.String("KEY"),
			Openstack: quorum.OpenstackMachineArgs{
				ImageId:     pulumi.String("IMAGE"),
				FlavorId:    pulumi.String("FLAVOR"),
				NetworkPort: quorum.OpenstackNetworkPortArgs{NetworkId: pulumi.String("NETWORK"), SubnetId: pulumi.String("SUBNET")},
				DataVolume:  quorum.OpenstackDataVolumeArgs{Size: pulumi.Int(10)},
			},
			Members: quorum.EtcdClusterMachineArray{quorum.EtcdClusterMachineArgs{Name: pulumi.String("etcd-1"), Ip: pulumi.String("10.77.0.11")}},
		})
		return err
	})
}
`},
	"nodejs": {"index.js", `
const quorum = require("pulumi-quorum");
new quorum.EtcdCluster("etcd", {
	sshAdminPublicKey: "KEY",
	openstack: {imageId: "IMAGE", flavorId: "FLAVOR", networkPort: {networkId: "NETWORK", subnetId: "SUBNET"}, dataVolume: {size: 10}},
	members: [{name: "etcd-1", ip: "10.77.0.11"}],
});
`},
	"python": {"__main__.py", `
import pulumi_quorum as quorum
quorum.EtcdCluster(
    "etcd",
    ssh_admin_public_key="KEY",
    openstack={"image_id": "IMAGE", "flavor_id": "FLAVOR", "network_port": {"network_id": "NETWORK", "subnet_id": "SUBNET"}, "data_volume": {"size": 10}},
    members=[{"name": "etcd-1", "ip": "10.77.0.11"}],
)
`},
}

// TestOtherHypervisor previews programs for OpenStack where there is no libvirt plugin. That those
// for libvirt need none of OpenStack, TestQuickstart shows.
func TestOtherHypervisor(t *testing.T) {
	t.Parallel()
	values := strings.NewReplacer("KEY", engine.SSHKey, "IMAGE", openstack.Image, "FLAVOR", openstack.Flavor,
		"NETWORK", openstack.Network, "SUBNET", openstack.Subnet)
	for language, program := range programs {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			cloud := openstack.New(t)
			s := engine.New(t, engine.Options{
				Program: "resources: {}", Env: cloud.Env(), Plugins: []engine.Plugin{engine.Quorum, engine.FakeTLS, engine.RealOpenStack},
			})
			s.Hosts()
			yaml := strings.Replace(project(t, s), "runtime: yaml", runtimes[language], 1)
			write(t, s, "Pulumi.yaml", yaml)
			write(t, s, program.file, values.Replace(program.text))
			switch root := engine.Root(); language {
			case "go":
				for _, file := range []string{"go.mod", "go.sum"} {
					text, err := os.ReadFile(filepath.Join(root, "examples", "go", file))
					require.NoError(t, err)
					write(t, s, file, strings.Replace(string(text), "=> ../..", "=> "+root, 1))
				}
			case "nodejs":
				link(t, s, "typescript", "node_modules")
			case "python":
				link(t, s, "python", "venv")
			}
			var packages []string
			for urn := range plan(t, s) {
				packages = append(packages, string(resource.URN(urn).Type().Package()))
			}
			slices.Sort(packages)
			assert.Equal(t, []string{"openstack", "quorum", "tls"}, slices.Compact(packages))
		})
	}
}

var runtimes = map[string]string{
	"go": "runtime: go", "nodejs": "runtime: nodejs", "python": "runtime: {name: python, options: {virtualenv: venv}}",
}

// link has the project use what is installed for the examples in a language.
func link(t *testing.T, s *engine.Stack, language, name string) {
	t.Helper()
	require.NoError(t, os.Symlink(filepath.Join(engine.Root(), "examples", language, name), filepath.Join(s.Dir(), name)))
}

func write(t *testing.T, s *engine.Stack, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), name), []byte(text), 0o600))
}
