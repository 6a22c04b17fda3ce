package fromterraform

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMacvtapOfService cannot be the first beside a network: the machine has its address alone.
func TestMacvtapOfService(t *testing.T) {
	t.Parallel()
	all := stateOf(t, "certificates")
	for _, r := range all {
		if nics, is := r.Values["network_interface"].([]any); is {
			r.Values["network_interface"] = append(nics, map[string]any{"network_name": "management", "mac": "52:54:00:99:99:99", "addresses": []any{"192.168.122.7"}})
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	program := strings.Join(strings.Fields(string(made.Text)), " ")
	assert.Contains(t, program, "name: alpha external: true ip: 10.1.0.31 # What runs on it has the address 10.1.0.31")
	assert.NotContains(t, program, " libvirt: uri:")
}

// TestKeysOfSecrets are each of one value.
func TestKeysOfSecrets(t *testing.T) {
	t.Parallel()
	s := &secrets{}
	assert.Equal(t, reference("a"), s.add(Secret{Key: "a", From: "x", Value: "1"}))
	assert.Equal(t, reference("a"), s.add(Secret{Key: "a", From: "x", Value: "1"}))
	assert.Equal(t, reference("aNo2"), s.add(Secret{Key: "a", From: "y", Value: "2"}))
	assert.Equal(t, reference("aNo2"), s.add(Secret{Key: "a", From: "y", Value: "2"}))
	assert.Equal(t, reference("aNo3"), s.add(Secret{Key: "a", From: "z", Value: "1"}))
	assert.Equal(t, reference("a"), s.add(Secret{Key: "a", Shared: true}))
	p := &program{}
	assert.Equal(t, "etcd-a-1", p.name("etcd", false, "etcd-a-1"))
	assert.Equal(t, "etcd-a1-2", p.name("etcd", false, "etcd-a1"), "their keys would be the same")
}

// TestRequiredInputs are settings of the stack, where the state does not have them.
func TestRequiredInputs(t *testing.T) {
	t.Parallel()
	all := stateOf(t, "platform")
	for _, r := range all {
		for _, name := range []string{"network_config", "pool", "base_volume_name", "base_volume_id"} {
			delete(r.Values, name)
		}
		if nics, is := r.Values["network_interface"].([]any); is {
			for _, nic := range nics {
				delete(nic.(map[string]any), "addresses")
			}
		}
		if data := r.Values.text("user_data"); data != "" {
			r.Values["user_data"] = strings.NewReplacer("ssh_authorized_keys", "x", "CERTIFICATE", "NONE", "scope", "x", "bin_dir", "x", "data_dir", "x", "/etcd-v", "/x", "10.1.0.11:2379", "10.1.0.11:2379").Replace(data)
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	program := string(made.Text)
	for _, input := range []string{"sshAdminPublicKey", "cloudInitVolumePool", "pool", "baseVolumeName", "prefixLength", "cert", "scope", "version", "caCert"} {
		assert.Regexp(t, `(?m)^ +(#.*)?`+input+`: \$\{`, program, input)
	}
	for _, s := range made.Secrets {
		assert.NotEmpty(t, s.What, s.Key)
		assert.NotEmpty(t, s.From, s.Key)
		assert.Equal(t, s.Number, s.Plain && strings.HasSuffix(s.Key, "PrefixLength"), s.Key)
		if s.Plain {
			assert.NotEmpty(t, s.Example, s.Key)
		}
	}
	wellFormed(t, all)
}

// TestRequiredInputsOfOpenStack likewise.
func TestRequiredInputsOfOpenStack(t *testing.T) {
	t.Parallel()
	all := stateOf(t, "openstack")
	for _, r := range all {
		if r.Type == "openstack_compute_instance_v2" {
			delete(r.Values, "flavor_id")
			delete(r.Values, "image_id")
			delete(r.Values, "network")
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	for _, want := range []string{"flavorId: ${etcdNewerFlavorId}", "imageId: ${etcdNewerImageId}", "id: ${etcdNewerNew1PortId}", "ip: 10.3.0.20"} {
		assert.Contains(t, string(made.Text), want)
	}
}

// TestPeersByName are one cluster, and have to be known by addresses.
func TestPeersByName(t *testing.T) {
	t.Parallel()
	program, _ := changed(t, "etcd", "=https://10.1.0.1", "=https://node-1")
	assert.Equal(t, 1, strings.Count(program, "quorum:EtcdCluster"))
	assert.Equal(t, 3, strings.Count(program, "- name: etcd-"))
	assert.Contains(t, program, "Peers or clients are known by names")
	assert.NotContains(t, program, "fewer than three")
}

// TestReplacedMember knows its address better than the others.
func TestReplacedMember(t *testing.T) {
	t.Parallel()
	all := stateOf(t, "etcd")
	for _, r := range all {
		if r.Address == "module.etcd[1].libvirt_cloudinit_disk.etcd" {
			for _, name := range []string{"user_data", "network_config"} {
				r.Values[name] = strings.ReplaceAll(r.Values.text(name), "10.1.0.12", "10.1.0.22")
			}
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	program := strings.Join(strings.Fields(string(made.Text)), " ")
	assert.Contains(t, program, "ip: 10.1.0.22")
	assert.NotContains(t, program, "What runs on it")
	assert.NotContains(t, program, "ip: 10.1.0.12 ")
	assert.Equal(t, 3, strings.Count(program, "- name: etcd-"))
}

// TestOldReleases have to be upgraded first.
func TestOldReleases(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{"3.4.15": "upgrade them to 3.5 first", "3.6.4": "made with this release\n", "3.5.30": "made with this release\n"} {
		program, _ := changed(t, "etcd", "3.5.9", release)
		assert.Contains(t, program, want)
	}
}
