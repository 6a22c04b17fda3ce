package engine

import "path/filepath"

// Plugin is a provider plugin that a program of a test may use.
type Plugin struct {
	name string
	dir  func() (string, error)
}

// The plugins. The quorum provider is built from this repository when a test
// first asks for it.
var (
	Quorum      = Plugin{"quorum", quorumDir}
	FakeLibvirt = Plugin{"libvirt", fakeDir}
	FakeTLS     = Plugin{"tls", fakeDir}
	RealLibvirt = Plugin{"libvirt", toolsDir}
	RealTLS     = Plugin{"tls", toolsDir}

	// RealOpenStack has test/fake/openstack to work on.
	RealOpenStack = Plugin{"openstack", openstackDir}
)

// Fakes are what most tests want beside the provider itself.
var Fakes = []Plugin{FakeLibvirt, FakeTLS}

// entry is the plugin in a Pulumi.yaml.
func (p Plugin) entry() (map[string]string, error) {
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	return map[string]string{"name": p.name, "path": dir}, nil
}

// Program is the file of the plugin.
func (p Plugin) Program() (string, error) {
	dir, err := p.dir()
	return filepath.Join(dir, "pulumi-resource-"+p.name), err
}

// pulumi is the CLI.
func pulumi() (string, error) {
	dir, err := toolsDir()
	return filepath.Join(dir, "pulumi"), err
}
