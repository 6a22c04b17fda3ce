//go:build e2e

package e2e

import (
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
	all, etcd := sandboxed(t, o.text, "etcd", external)
	etcd["aptProxy"], etcd["artifacts"] = must(t, "apt-proxy"), map[string]any{"etcd": o.artifact}
	delete(etcd["etcd"].(map[string]any), "version") // that of the artifact
	if members := etcd["members"].([]any); helper {
		first := members[0].(map[string]any)["libvirt"].(map[string]any)["networks"].([]any)[0].(map[string]any)
		another := maps.Clone(first)
		delete(another, "mac")
		another["ip"] = addresses["etcd-4"]
		etcd["members"] = append(members, map[string]any{"name": "etcd-4", "libvirt": map[string]any{"networks": []any{another}}})
	}
	all["outputs"] = map[string]any{
		"endpoints": "${etcd.endpoints}", "clusterId": "${etcd.clusterId}", "memberIds": "${etcd.memberIds}", "caCert": "${etcd.caCert}", "rootPassword": "${etcdRootPassword}",
	}
	text, err := yaml.Marshal(all)
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

// TestTakenOverFromTerraform has kvm-etcd-server itself make three members on virtual machines, by Terraform, with
// authentication by password, and its state be all that is known of them. They are taken over while a client writes:
// etcd-1 is given back once half-way; etcd-2 and etcd-3 are shut down before. The cluster then changes to etcd 3.6.
func TestTakenOverFromTerraform(t *testing.T) {
	tf := newTerraform(t, "taking-over")
	a := sandboxAbout(t)
	imageOfModules(t, a)
	members := []string{"etcd-1", "etcd-2", "etcd-3"} // the platform has one on virtual machines
	tf.apply(t)
	for _, name := range members {
		wait(t, "the member "+name+" of Terraform's", func() error {
			_, err := sandbox("shell", "env", "ETCDCTL_API=3", "etcdctl", "--command-timeout=10s", "--endpoints=https://"+addresses[name]+":2379",
				"--insecure-transport=false", "--insecure-skip-tls-verify", "--user=root:ROOT-pw", "endpoint", "health")
			return err
		})
	}

	options := stackOptions(t, baked, "resources: {}", append(slices.Clone(members), "etcd-4"), nil)
	text := tf.program(t, &options)
	o := &takingOver{Stack: engine.New(t, options), text: text}
	o.release(t, "3.5.32")
	o.write(t, false, members...)
	up := o.Up()
	assert.Empty(t, up.Ops("Domain"), "nothing is made")
	cluster, ids := o.Output("clusterId"), o.Outputs()["memberIds"]
	stop := startWriter(t, buildWriter(t), o.Outputs(), "numbers/")

	o.write(t, true, members...)
	o.Up()
	o.write(t, true, members[1:]...)
	assert.Contains(t, o.UpFails().Diagnostics, "etcd-1: a machine that was not made here answers at 10.77.0.11. It no longer leads")
	o.write(t, true, members...)
	o.Up()
	for i, name := range members {
		if i == 0 {
			o.write(t, true, members[1:]...)
			o.UpFails()
		}
		shutDown(t, name)
		o.write(t, true, members[i+1:]...)
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
	for _, name := range members {
		assert.Contains(t, on(t, name, "etcd", "--version"), "3.6.11", name)
		assert.Equal(t, "etcd_data", on(t, name, "findmnt", "--noheadings", "--output=LABEL", "--target=/var/lib/etcd/data"), name)
	}

	tf.forget(t)
	assert.Empty(t, o.Up().Ops(""))
}
