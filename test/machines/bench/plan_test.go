//go:build bench

package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

type object = map[string]any

// planner is Terraform or OpenTofu, with a hypervisor that its provider finds.
type planner struct{ Name, program, dir, uri string }

// newPlanner is nil where neither is installed.
func newPlanner(t *testing.T) *planner {
	t.Helper()
	for _, name := range []string{"tofu", "terraform"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		t.Setenv("QUORUM_SANDBOX", "bench")
		t.Cleanup(func() { _, _ = sandbox("down") })
		_, err = sandbox("up", "--no-images")
		require.NoError(t, err)
		text, err := sandbox("status", "--json")
		require.NoError(t, err)
		var about struct{ URI string }
		require.NoError(t, json.Unmarshal(text, &about))
		built, err := exec.Command(filepath.Join(engine.Root(), "tools", "build"), "terraform").Output()
		require.NoError(t, err)
		return &planner{Name: name, program: program, dir: strings.TrimSpace(string(built)), uri: about.URI}
	}
	return nil
}

func sandbox(args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(engine.Root(), "test", "machines", "sandbox", "sandbox"), args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// plan is how long it takes to plan what the machines of a program are made of.
func (p *planner) plan(t *testing.T, n int, w engine.World) time.Duration {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		name := fmt.Sprintf("etcd-%d", i+1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(w.UserData(name)), 0o600))
	}
	text, err := json.Marshal(p.configuration(n))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf.json"), text, 0o600))
	overrides := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n    %q = %q\n  }\n}\n", "dmacvicar/libvirt", p.dir, "hashicorp/tls", p.dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rc"), []byte(overrides), 0o600))
	cmd := exec.Command(filepath.Join(engine.Root(), "test", "machines", "sandbox", "sandbox"), "shell",
		"env", "TF_CLI_CONFIG_FILE="+filepath.Join(dir, "rc"), "CHECKPOINT_DISABLE=1", p.program, "-chdir="+dir, "plan", "-input=false", "-no-color")
	var out []byte
	took := took(func() { out, err = cmd.CombinedOutput() })
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), fmt.Sprintf("Plan: %d to add", 2+7*n))
	return took
}

// configuration has for each machine what EtcdServer makes.
func (p *planner) configuration(n int) object {
	key, request, leaf, volume, drive, domain := object{}, object{}, object{}, object{}, object{}, object{}
	key["ca"] = object{"algorithm": "ECDSA", "ecdsa_curve": "P256"}
	for i := range n {
		name := fmt.Sprintf("etcd-%d", i+1)
		key[name] = key["ca"]
		request[name] = object{
			"private_key_pem": "${tls_private_key." + name + ".private_key_pem}", "subject": object{"common_name": name, "organization": "quorum"},
			"dns_names": []string{name, "localhost"}, "ip_addresses": []string{fmt.Sprintf("10.77.1.%d", i+1), "127.0.0.1"},
		}
		leaf[name] = object{
			"cert_request_pem": "${tls_cert_request." + name + ".cert_request_pem}", "ca_private_key_pem": "${tls_private_key.ca.private_key_pem}",
			"ca_cert_pem": "${tls_self_signed_cert.ca.cert_pem}", "validity_period_hours": 8760, "early_renewal_hours": 720,
			"allowed_uses": []string{"digital_signature", "key_encipherment", "server_auth", "client_auth"},
		}
		volume[name] = object{"name": name + ".qcow2", "pool": "default", "base_volume_name": "base.qcow2", "base_volume_pool": "default", "format": "qcow2"}
		volume[name+"-data"] = object{"name": name + "-data.qcow2", "pool": "default", "size": 10737418240, "format": "qcow2"}
		drive[name] = object{"name": name + ".iso", "pool": "default", "user_data": "${file(\"" + name + ".yaml\")}", "meta_data": "instance-id: " + name + "\n"}
		domain[name] = object{
			"name": name, "memory": 8192, "vcpu": 2, "type": "kvm", "machine": "pc", "autostart": true, "running": true,
			"cloudinit": "${libvirt_cloudinit_disk." + name + ".id}", "cpu": object{"mode": "host-passthrough"},
			"disk":              []object{{"volume_id": "${libvirt_volume." + name + ".id}"}, {"volume_id": "${libvirt_volume." + name + "-data.id}"}},
			"network_interface": []object{{"network_name": "default", "mac": fmt.Sprintf("52:54:00:ab:92:%02x", i)}},
			"console":           []object{{"type": "pty", "target_port": "0", "target_type": "serial"}, {"type": "pty", "target_port": "1", "target_type": "virtio"}},
		}
	}
	all := object{
		"tls_private_key": key, "tls_cert_request": request, "tls_locally_signed_cert": leaf,
		"tls_self_signed_cert": object{"ca": object{
			"private_key_pem": "${tls_private_key.ca.private_key_pem}", "subject": object{"common_name": "ca"}, "is_ca_certificate": true,
			"validity_period_hours": 87600, "allowed_uses": []string{"cert_signing", "crl_signing", "digital_signature"},
		}},
		"libvirt_volume": volume, "libvirt_cloudinit_disk": drive, "libvirt_domain": domain,
	}
	maps.DeleteFunc(all, func(_ string, each any) bool { return len(each.(object)) == 0 }) // terraform takes none that is empty
	return object{
		"terraform": object{"required_providers": object{"libvirt": object{"source": "dmacvicar/libvirt"}, "tls": object{"source": "hashicorp/tls"}}},
		"provider":  object{"libvirt": object{"uri": p.uri}},
		"resource":  all,
	}
}
