package main

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// settings are those of Pulumi.yaml.
var settings = map[string]string{
	"project:pool": "default", "project:baseVolume": "debian-13.qcow2", "project:network": "default",
	"project:subnet": "192.168.122", "project:domainType": "kvm", "project:vcpus": "2", "project:memory": "2048",
	"project:installDependencies": "true", "project:sshPublicKey": "ssh-ed25519 AAAA",
}

// mocks stand for the engine: they keep the inputs of resources by name.
type mocks map[string]resource.PropertyMap

func (m mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	m[args.Name] = args.Inputs
	return args.Name + "-id", args.Inputs, nil
}

func (m mocks) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

// TestMembersHaveAddressesOfTheirOwn shows how a program with clusters can be
// tested without an engine, a hypervisor or the provider.
func TestMembersHaveAddressesOfTheirOwn(t *testing.T) {
	made := mocks{}
	err := pulumi.RunErr(quickstart, pulumi.WithMocks("project", "stack", made),
		func(run *pulumi.RunInfo) { run.Config = settings })
	require.NoError(t, err)

	addresses := map[string]bool{}
	for _, member := range made["etcd"]["members"].ArrayValue() {
		addresses[member.ObjectValue()["ip"].StringValue()] = true
	}
	assert.Len(t, addresses, 3)
}
