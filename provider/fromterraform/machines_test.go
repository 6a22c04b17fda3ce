package fromterraform

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// changed is a state of testdata in which texts are others.
func changed(t *testing.T, name string, texts ...string) (program string, made Program) {
	text, err := os.ReadFile("testdata/states/" + name + "/terraform.tfstate")
	require.NoError(t, err)
	for i := 0; i < len(texts); i += 2 {
		require.Contains(t, string(text), texts[i])
	}
	all, err := Read(strings.NewReader(strings.NewReplacer(texts...).Replace(string(text))))
	require.NoError(t, err)
	made, err = Convert("x", all)
	require.NoError(t, err)
	return string(made.Text), made
}

const hashOfNew = "user_data\": \""

// TestOtherUserData says so where an instance was made with other user data than today's:
// the modules ignore that.
func TestOtherUserData(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/states/openstack/terraform.tfstate")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(text), hashOfNew)
	hash, _, _ := strings.Cut(after, `"`)
	require.Len(t, hash, 40)
	program, _ := changed(t, "openstack", hash, strings.Repeat("0", 40))
	assert.Contains(t, program, "# the machine was made with other user data than")
	assert.Contains(t, program, "name: new-1")
}

// TestKeypair is where an instance has its admin's key from.
func TestKeypair(t *testing.T) {
	t.Parallel()
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJPvyukwidwcRT2Hhj6AI9YNB/zzktxRwI4peoOrU8x9"
	pair := `"resources": [{"mode": "managed", "type": "openstack_compute_keypair_v2", "name": "admin", "instances": [{"attributes": {"name": "admin", "public_key": "` + key + `\n"}}]},`
	program, made := changed(t, "openstack", `"resources": [`, pair)
	assert.Contains(t, program, "sshAdminPublicKey: "+key)
	assert.NotContains(t, program, "# sshAdminPublicKey")
	assert.NotContains(t, made.Ignored, "openstack_compute_keypair_v2.admin")
}

// TestWhatMembersDoNotShare is written as the first has it, and says who differs.
func TestWhatMembersDoNotShare(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/states/etcd/terraform.tfstate")
	require.NoError(t, err)
	all, err := Read(strings.NewReader(string(text)))
	require.NoError(t, err)
	for _, r := range all {
		if r.Address == "module.etcd[2].libvirt_cloudinit_disk.etcd" {
			data := r.Values.text("user_data")
			r.Values["user_data"] = strings.NewReplacer("8589934592", "4294967296", "CONSOLE-", "OTHER-", "v3.5.9", "v3.5.30", "iburst", "burst").Replace(data)
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	for _, note := range []string{
		"# spaceQuota: another value is in module.etcd[2]", "module.etcd[2].libvirt_domain.etcd has another admin user, key or password than",
		"version: module.etcd[2].libvirt_domain.etcd has 3.5.30 # The members were made with this release version: 3.5.30", "has other settings of chrony than",
	} {
		assert.Contains(t, strings.Join(strings.Fields(string(made.Text)), " "), note)
	}
}

// TestWhatCannotBeRead is told where it would be, and the rest is there.
func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/states/etcd/terraform.tfstate")
	require.NoError(t, err)
	all, err := Read(strings.NewReader(string(text)))
	require.NoError(t, err)
	for i, r := range all {
		switch r.Address {
		case "module.etcd[1].libvirt_cloudinit_disk.etcd":
			r.Values["user_data"] = "#cloud-config\na: b: hunter2\n"
			r.Values["network_config"] = "*hunter2"
		case "module.etcd[2].libvirt_domain.etcd":
			all[i].Tainted = true
			r.Values["memory"] = json.Number("1e3")
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"module.etcd[1].libvirt_cloudinit_disk.etcd, user_data: the user data is not YAML, at or after line 2 of a document",
		"module.etcd[1].libvirt_cloudinit_disk.etcd, network_config: is not YAML",
	}, made.Problems)
	program := strings.Join(strings.Fields(string(made.Text)), " ")
	for _, want := range []string{
		"module.etcd[2].libvirt_domain.etcd is tainted", "# memory: module.etcd[2].libvirt_domain.etcd has no whole number as memory",
		"take it out - name: etcd-2 external: true ip: 10.1.0.12",
	} {
		assert.Contains(t, program, want)
	}
	assert.NotContains(t, program, "hunter2")
	assert.Contains(t, made.Ignored, "module.etcd[1].libvirt_domain.etcd")
}

// TestAddressesOfServices are those of what runs there, also where interfaces say nothing, or another.
func TestAddressesOfServices(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/states/etcd/terraform.tfstate")
	require.NoError(t, err)
	all, err := Read(strings.NewReader(string(text)))
	require.NoError(t, err)
	for _, r := range all {
		switch r.Address {
		case "module.etcd[0].libvirt_cloudinit_disk.etcd":
			r.Values["network_config"] = nil
		case "module.etcd[1].libvirt_cloudinit_disk.etcd":
			r.Values["network_config"] = strings.ReplaceAll(r.Values.text("network_config"), "10.1.0.12", "10.9.0.12")
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	program := strings.Join(strings.Fields(string(made.Text)), " ")
	assert.Contains(t, program, "name: etcd-1 external: true libvirt:")
	assert.Contains(t, program, "# ip: module.etcd[0].libvirt_domain.etcd has none for this interface")
	assert.Contains(t, program, "- networkName: platform # ip:")
	assert.Contains(t, program, " ip: 10.1.0.11 mac:")
	assert.Contains(t, program, "prefixLength: ${etcdPrefixLength}")
	assert.Contains(t, program, "name: etcd-2 external: true ip: 10.1.0.12 # What runs on it has the address 10.1.0.12, which is not that of its first interface")
	assert.Contains(t, program, "# libvirt: # uri: ${libvirtUri}")
}

// interfacesOf has members of etcd with two interfaces each: that of a test comes first.
func interfacesOf(t *testing.T, kind, name string) string {
	all := stateOf(t, "etcd")
	for _, r := range all {
		nics, _ := r.Values["network_interface"].([]any)
		if nics != nil {
			r.Values["network_interface"] = append([]any{map[string]any{kind: name, "mac": "52:54:00:99:99:99"}}, nics...)
		}
		if r.Type == "libvirt_cloudinit_disk" {
			r.Values["network_config"] = strings.Replace(r.Values.text("network_config"), `"ethernets":`, "\"ethernets\":\n  \"eth9\": {\"addresses\": [\"192.168.122.7/24\"], \"match\": {\"macaddress\": \"52:54:00:99:99:99\"}}", 1)
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	return strings.Join(strings.Fields(string(made.Text)), " ")
}

// TestInterfaceOfService is the first of its kind, whichever comes first in the state.
func TestInterfaceOfService(t *testing.T) {
	t.Parallel()
	program := interfacesOf(t, "network_name", "management")
	assert.Contains(t, program, "networks: - networkName: platform ip: 10.1.0.11")
	assert.Equal(t, 3, strings.Count(program, "- networkName: management ip: 192.168.122.7"))
	program = interfacesOf(t, "macvtap", "eno9") // networks come before these
	assert.Contains(t, program, "networks: - networkName: platform ip: 10.1.0.11")
	assert.NotContains(t, program, "What runs on it has the address")
}

// TestBridge is a network of libvirt that is a bridge of the host: Terraform reads the machine's interface as that of the bridge.
func TestBridge(t *testing.T) {
	t.Parallel()
	const network = `"resources": [{"mode": "managed", "type": "libvirt_network", "name": "lan", "provider": "provider[\"registry.terraform.io/dmacvicar/libvirt\"]", "instances": [{"attributes": {"id": "1", "name": "office", "mode": "bridge", "bridge": "br0"}}]},`
	bridge := []string{`"bridge": ""`, `"bridge": "br0"`, `"network_name": "platform"`, `"network_name": ""`, `"10e3b6d9-cbda-44fa-8e2b-84aeee6d1746"`, `""`}
	program, _ := changed(t, "etcd", bridge...)
	words := strings.Join(strings.Fields(program), " ")
	assert.Equal(t, 3, strings.Count(words, "# networkName: the network of libvirt that is the bridge br0 of the host"))
	assert.Equal(t, 3, strings.Count(words, "mac: 52:54:00:11:22:3"), "the rest of it is known")

	program, made := changed(t, "etcd", append(bridge, `"resources": [`, network)...)
	assert.Equal(t, 3, strings.Count(program, "networkName: office"))
	assert.NotContains(t, made.Ignored, "libvirt_network.lan")
}

// TestLabelsOfClusters keep two of the same token apart, and join by any member.
func TestLabelsOfClusters(t *testing.T) {
	t.Parallel()
	type of struct {
		label string
		marks []string
	}
	groups := group([]of{{"a", []string{"1", "2"}}, {"a", []string{"5"}}, {"b", []string{"1"}}, {"a", []string{"3", "4"}}, {"a", []string{"2", "3"}}},
		func(o of) string { return o.label }, func(o of) []string { return o.marks })
	var sizes []int
	for _, g := range groups {
		sizes = append(sizes, len(g))
	}
	assert.ElementsMatch(t, []int{1, 1, 3}, sizes)
}
