//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// takingOver is the stack that takes a cluster over from Terraform.
type takingOver struct {
	*engine.Stack
	text     string // of from-terraform
	artifact map[string]any
}

// write has the program have these members be external, and perhaps a fourth one.
func (o *takingOver) write(t *testing.T, helper bool, external ...string) {
	t.Helper()
	var all map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(o.text), &all))
	etcd := all["resources"].(map[string]any)["etcd"].(map[string]any)["properties"].(map[string]any)
	etcd["aptProxy"], etcd["artifacts"] = must(t, "apt-proxy"), map[string]any{"etcd": o.artifact}
	delete(etcd["etcd"].(map[string]any), "version") // the release is that of artifacts
	libvirt := etcd["libvirt"].(map[string]any)
	libvirt["domainType"] = "${domainType}"
	libvirt["volume"].(map[string]any)["baseVolumeName"] = "${baseVolume}"
	members := etcd["members"].([]any)
	for _, m := range members {
		m := m.(map[string]any)
		network := m["libvirt"].(map[string]any)["networks"].([]any)[0].(map[string]any)
		network["networkName"] = "quorum" // the state has its bridge alone
		if !slices.Contains(external, m["name"].(string)) {
			delete(m, "external")
		}
		if m["name"] == "etcd-1" && helper {
			another := maps.Clone(network)
			delete(another, "mac")
			another["ip"] = addresses["etcd-4"]
			etcd["members"] = append(members, map[string]any{"name": "etcd-4", "libvirt": map[string]any{"networks": []any{another}}})
		}
	}
	config := map[string]any{}
	for _, key := range []string{"domainType", "baseVolume", "libvirtUri"} {
		config[key] = map[string]any{"type": "string"}
	}
	for _, key := range []string{"etcdAdminUserPassword", "etcdCaKey", "etcdRootPassword"} {
		config[key] = map[string]any{"type": "string", "secret": true}
	}
	text, err := yaml.Marshal(map[string]any{
		"config":    config,
		"resources": all["resources"],
		"outputs": map[string]any{
			"endpoints": "${etcd.endpoints}", "clusterId": "${etcd.clusterId}", "memberIds": "${etcd.memberIds}", "caCert": "${etcd.caCert}", "rootPassword": "${etcdRootPassword}",
		},
	})
	require.NoError(t, err)
	o.Program(string(text))
}

// release is what new machines, and later all, run.
func (o *takingOver) release(t *testing.T, version string) {
	t.Helper()
	rootfs, _, _ := strings.Cut(must(t, "image", "baked"), "\n")
	dir := t.TempDir()
	releases, err := engine.EtcdReleases()
	require.NoError(t, err, "run tools/build etcd")
	for name, file := range map[string]string{"etcd": filepath.Join(releases, "etcd-"+version), "etcdctl": filepath.Join(rootfs, "usr", "bin", "etcdctl")} {
		require.NoError(t, os.Symlink(file, filepath.Join(dir, name)))
	}
	url, sum := archive(t, "etcd.tar.gz", dir, "--dereference", "--transform=s,^,etcd-release/,", "etcd", "etcdctl")
	o.artifact = map[string]any{"url": url, "sha256": sum}
}

// shutDown does what the update asked for: the disks stay.
func shutDown(t *testing.T, name string) {
	t.Helper()
	must(t, "shell", "virsh", "shutdown", name)
	wait(t, name+" to be shut off", func() error {
		if state := must(t, "shell", "virsh", "domstate", name); state != "shut off" {
			return fmt.Errorf("it is %s", state)
		}
		return nil
	})
	must(t, "shell", "virsh", "undefine", name)
}

// TestTakenOverFromTerraform has kvm-etcd-server itself make three members on virtual machines, by Terraform, with
// authentication by password, and its state be all that is known of them. They are taken over while a client writes:
// etcd-1 is given back once half-way; etcd-2 and etcd-3 are shut down before. The cluster then changes to etcd 3.6.
func TestTakenOverFromTerraform(t *testing.T) {
	tf := newTerraform(t, "taking-over")
	a, three := sandboxAbout(t), slices.Concat(members, absent) // on virtual machines, too
	imageOfModules(t, a)
	tf.run(t, "apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1") // its provider, too, reads drives back too soon
	for _, name := range three {
		wait(t, "the member "+name+" of Terraform's", func() error {
			_, err := sandbox("shell", "env", "ETCDCTL_API=3", "etcdctl", "--command-timeout=10s", "--endpoints=https://"+addresses[name]+":2379",
				"--insecure-transport=false", "--insecure-skip-tls-verify", "--user=root:ROOT-pw", "endpoint", "health")
			return err
		})
	}

	options := stackOptions(t, baked, "resources: {}", append(slices.Clone(three), "etcd-4"), map[string]string{"libvirtUri": a.of("uri")})
	text := tf.program(t, &options)
	o := &takingOver{Stack: engine.New(t, options), text: text}
	o.release(t, "3.5.32")
	o.write(t, false, three...)
	up := o.Up()
	assert.Empty(t, up.Ops("Domain"), "nothing is made")
	cluster, ids := o.Output("clusterId"), o.Outputs()["memberIds"]
	stop := startWriter(t, buildWriter(t), o.Outputs(), "numbers/")

	o.write(t, true, three...)
	o.Up()
	o.write(t, true, three[1:]...)
	assert.Contains(t, o.UpFails().Diagnostics, "etcd-1: a machine that was not made here answers at 10.77.0.11. It no longer leads")
	o.write(t, true, three...)
	o.Up()
	for i, name := range three {
		if i == 0 {
			o.write(t, true, three[1:]...)
			o.UpFails()
		}
		shutDown(t, name)
		o.write(t, true, three[i+1:]...)
		o.Up()
	}
	o.write(t, false)
	o.Up()
	assert.Equal(t, cluster, o.Output("clusterId"))
	assert.Equal(t, ids, o.Outputs()["memberIds"], "their data are what they were")
	assert.True(t, o.Up().Unchanged())

	o.release(t, "3.6.11")
	o.write(t, false)
	o.Up()
	stop().wellGone(t)
	for _, name := range three {
		assert.Contains(t, on(t, name, "etcd", "--version"), "3.6.11", name)
		assert.Equal(t, "etcd_data", on(t, name, "findmnt", "--noheadings", "--output=LABEL", "--target=/var/lib/etcd/data"), name)
	}

	tf.run(t, append([]string{"state", "rm"}, strings.Fields(tf.run(t, "state", "list"))...)...)
	assert.Empty(t, tf.run(t, "state", "list"))
	assert.Empty(t, o.Up().Ops(""))
}
