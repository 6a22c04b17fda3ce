package fromterraform

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBadStates says what each is instead, and nothing of what is in there.
func TestBadStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", "is empty"},
		{" \n", "is empty"},
		{"hunter2", "not JSON, from byte"},
		{"resource \"x\" {}", "not JSON"},
		{`{"version": 4, "resources": [{"type": "hunter2"}`, "not JSON"},
		{`{"version": 4} {"password": "hunter2"}`, "more follows at byte 14"},
		{`[{"version": 4}]`, "is of another type"},
		{`{"resources": []}`, "neither a version nor a format_version"},
		{`{"version": 3, "modules": []}`, "of version 3, which Terraform 0.11"},
		{`{"version": 3, "backend": {"type": "s3"}}`, "keeps in .terraform of its backend"},
		{`{"version": 5, "resources": []}`, "of another version than 4"},
		{`{"version": "hunter2"}`, "of another version than 4"},
		{`{"version": 4e0}`, "of another version than 4"},
		{`{"version": 4, "resources": []}`, "without resources"},
		{`{"version": 4, "resources": "hunter2"}`, "is of another type"},
		{`{"version": 4, "resources": [{"mode": "managed", "type": "a", "name": "b", "instances": [{"attributes": ["hunter2"]}]}]}`, "is of another type"},
		{`{"serial": 1, "lineage": "x", "meta": {}, "encrypted_data": "hunter2"}`, "encrypted by OpenTofu"},
		{`{"data": "hunter2", "sops": {}}`, "encrypted by sops"},
		{`{"format_version": "1.2", "planned_values": {}}`, "is a plan"},
		{`{"format_version": "1.0"}`, "without resources"},
		{strings.Repeat("[", 20000), "not JSON"},
	} {
		_, err := Read(strings.NewReader(c.text))
		require.Error(t, err, c.text)
		assert.Contains(t, err.Error(), c.want)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

// state is one with instances of one type.
func state(instances string) string {
	return `{"version": 4, "resources": [{"module": "module.a[\"x\"]", "mode": "managed", "type": "libvirt_domain", "name": "d", "provider": "provider[\"registry.terraform.io/dmacvicar/libvirt\"]", "instances": [` + instances + `]}]}`
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	all, err := Read(strings.NewReader(state(`
		{"index_key": 10, "attributes": {}}, {"index_key": 2, "attributes": {"vcpu": 99999999999999999999999}, "status": "tainted"},
		{"index_key": 2, "deposed": "12345678", "attributes": {}}, {"attributes_flat": {"name": "x"}}`)))
	require.NoError(t, err)
	var addresses []string
	for _, r := range all {
		addresses = append(addresses, r.Address)
	}
	assert.Equal(t, []string{`module.a["x"].libvirt_domain.d`, `module.a["x"].libvirt_domain.d[2]`, `module.a["x"].libvirt_domain.d[10]`}, addresses)
	assert.True(t, all[1].Tainted)
	_, is := all[1].Values.number("vcpu")
	assert.False(t, is, "it is larger than any number")
}

func TestNothingOfTheModules(t *testing.T) {
	t.Parallel()
	var program, report bytes.Buffer
	file := filepath.Join(t.TempDir(), "x.tfstate")
	require.NoError(t, os.WriteFile(file, []byte(state(`{"attributes": {"name": "x"}}`)), 0o600))
	assert.Equal(t, 1, Main(t.Context(), []string{file}, nil, &program, &report))
	assert.Empty(t, program.String())
	assert.Contains(t, report.String(), "no machine of the five modules")
	assert.Contains(t, report.String(), `module.a["x"].libvirt_domain.d: its libvirt_cloudinit_disk is not in the state`)
}

// TestCommandLine refuses what it does not know, and overwrites nothing.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	const etcd = "testdata/states/etcd/terraform.tfstate"
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "usage:"},
		{"--help", 0, "usage:"},
		{"--no-such", 2, "no-such"},
		{"--set-config --out x " + etcd, 2, "usage:"},
		{"--stack dev " + etcd, 2, "usage:"},
		{"nowhere.tfstate", 1, "nowhere.tfstate cannot be read: no such file"},
		{"testdata", 1, "testdata is a directory"},
		{"--out " + dir + "/new --name shop " + etcd, 0, "Written: " + dir + "/new/Pulumi.yaml"},
		{"--out " + dir + "/new " + etcd, 1, "is there already, and is not overwritten"},
	} {
		var program, report bytes.Buffer
		assert.Equal(t, c.code, Main(t.Context(), strings.Fields(c.args), nil, &program, &report), c.args)
		assert.Contains(t, report.String(), c.want)
		assert.Empty(t, program.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "new", "Pulumi.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "name: shop\n")
}

// TestSeveralStates joins what their clusters have to do with each other.
func TestSeveralStates(t *testing.T) {
	t.Parallel()
	program, report := run(t, "testdata/states/etcd/terraform.tfstate", "testdata/states/postgres/terraform.tfstate", "testdata/states/balancer/terraform.tfstate")
	assert.NotContains(t, program, "endpoints: ${etcd.endpoints}", "these were written apart, with an authority each: the state of the platform has both")
	assert.Contains(t, program, `# testdata/states/etcd/terraform.tfstate: module.etcd[0].libvirt_domain.etcd`)
	assert.Contains(t, report, "libvirtUriEtcd:", "of each state, since nothing says that they have the same hypervisor")
	assert.Contains(t, report, "libvirtUriBalancer:")
	var whole, said bytes.Buffer
	state, err := os.Open("testdata/states/etcd/terraform.tfstate")
	require.NoError(t, err)
	defer state.Close()
	require.Zero(t, Main(t.Context(), []string{"-"}, state, &whole, &said))
	alone, _ := run(t, "testdata/states/etcd/terraform.tfstate")
	assert.Equal(t, alone, whole.String())
}

// TestShownHypervisors are not told apart by terraform show -json, so that people are told.
func TestShownHypervisors(t *testing.T) {
	t.Parallel()
	shown := func(second string) string {
		return `{"format_version": "1.0", "values": {"root_module": {"resources": [
			{"address": "libvirt_domain.a", "mode": "managed", "type": "libvirt_domain", "provider_name": "x", "values": {"id": "1", "name": "a"}},
			{"address": "libvirt_domain.b", "mode": "managed", "type": "libvirt_domain", "provider_name": "x", "values": {"id": "` + second + `", "name": "b"}}]}}}`
	}
	_, err := Read(strings.NewReader(shown("1")))
	require.ErrorContains(t, err, "several hypervisors with the same id")
	all, err := Read(strings.NewReader(shown("2")))
	require.NoError(t, err)
	assert.True(t, all[0].Shown)
	p := &program{}
	p.uri(&Machine{uri: "libvirtUri", shown: true})
	assert.Contains(t, p.secrets.all[0].From, "use `terraform state pull`")
}
