package fromterraform

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNamesAndFlags are refused before anything is read.
func TestNamesAndFlags(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b", "", "..", "д", strings.Repeat("a", 101)} {
		var program, said bytes.Buffer
		assert.Equal(t, 2, Main(t.Context(), []string{"--name", name, "x"}, nil, &program, &said), name)
		assert.Contains(t, said.String(), "--name: must be")
	}
	var program, said bytes.Buffer
	assert.Equal(t, 2, Main(t.Context(), []string{"x", "--name", "y"}, nil, &program, &said))
	assert.Contains(t, said.String(), "flags come before the states")
}

// TestByteOrderMarks are those of Windows.
func TestByteOrderMarks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/states/etcd/terraform.tfstate")
	require.NoError(t, err)
	_, err = Read(strings.NewReader("\ufeff" + string(text)))
	require.NoError(t, err)
	_, err = Read(strings.NewReader("\xff\xfe{\x00"))
	require.ErrorContains(t, err, "byte order mark")
}

// TestManyIgnored are counted.
func TestManyIgnored(t *testing.T) {
	t.Parallel()
	all := stateOf(t, "etcd")
	for i := range 50000 {
		all = append(all, Resource{Address: fmt.Sprintf("module.x.null_resource.a[%d]", i), Type: "null_resource", Module: "module.x"})
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	assert.Contains(t, made.Ignored, "50000 of module.x.null_resource")
	assert.Contains(t, made.Ignored, `libvirt_volume.root["lb-1"]`)
}

// TestOtherProgramInDirectory stays the only one.
func TestOtherProgramInDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yml"), nil, 0o600))
	var program, said bytes.Buffer
	assert.Equal(t, 1, Main(t.Context(), []string{"--out", dir, "testdata/states/etcd/terraform.tfstate"}, nil, &program, &said))
	assert.Contains(t, said.String(), "Pulumi.yml is there already")
}

// TestIPv6 has a default route, too.
func TestIPv6(t *testing.T) {
	t.Parallel()
	config, err := parse("ethernets: {a: {addresses: [fd00::2/64], routes: [{to: '::/0', via: 'fd00::1'}]}}")
	require.NoError(t, err)
	assert.Equal(t, wire{ip: "fd00::2", length: 64, gateway: "fd00::1"}, ethernet(config, 0, ""))
}

// TestUnfitNodes are told of.
func TestUnfitNodes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"{restapi: {connect_address: '10.0.0.1:8008', certfile: x}, etcd3: {}}": 1, "{restapi: {connect_address: '10.0.0.1:4443'}, etcd3: {}}": 1, "{etcd: {}}": 1,
		"{restapi: {connect_address: '10.0.0.1:4443', certfile: x}, etcd3: {}}": 0,
	} {
		conf, err := parse(text)
		require.NoError(t, err)
		assert.Len(t, unfit([]*node{{Machine: &Machine{}, conf: conf}}), want, text)
	}
}

// TestSameAddressesOfTwoSites are two clusters.
func TestSameAddressesOfTwoSites(t *testing.T) {
	t.Parallel()
	cert := func(state string) string {
		for _, r := range stateOf(t, state) {
			if r.Address == `tls_self_signed_cert.ca["postgres"]` {
				return r.Values.text("cert_pem")
			}
		}
		return ""
	}
	conf, err := parse("{scope: main, etcd3: {hosts: ['10.0.0.1:2379']}}")
	require.NoError(t, err)
	nodes := []*node{{Machine: &Machine{Address: "a"}, conf: conf, ca: cert("postgres")}, {Machine: &Machine{Address: "b"}, conf: conf, ca: cert("platform")}, {Machine: &Machine{Address: "c"}, conf: conf, ca: cert("postgres")}}
	require.NotEqual(t, nodes[0].ca, nodes[1].ca)
	assert.Len(t, postgresClusters(nodes), 2)
}
