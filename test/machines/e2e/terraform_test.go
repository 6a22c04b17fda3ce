//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fromterraform"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// terraform is a configuration that real Terraform applies to the sandbox's hypervisor.
type terraform struct {
	dir string
	env []string
}

// newTerraform needs what is not in this repository: QUORUM_TERRAFORM is a directory with modules/, where etcd is
// kvm-etcd-server and what it has as sources is beside it, and providers/, with terraform-provider-libvirt, -tls and
// -template. The machines are made of the image modules.qcow2.
func newTerraform(t *testing.T, from string) terraform {
	t.Helper()
	given := os.Getenv("QUORUM_TERRAFORM")
	if _, is := hardware.(*virtual); !is || given == "" {
		t.Skip("needs virtual machines, QUORUM_MACHINES=virtual, and the modules and providers of Terraform, QUORUM_TERRAFORM=DIR")
	}
	tf := terraform{dir: t.TempDir()}
	require.NoError(t, os.CopyFS(tf.dir, os.DirFS(filepath.Join("testdata", from))))
	require.NoError(t, os.CopyFS(filepath.Join(tf.dir, "modules"), os.DirFS(filepath.Join(given, "modules"))))
	a := sandboxAbout(t)
	if a.of("domainType") == "qemu" { // which has no host-passthrough, as the modules want it
		override := "resource \"libvirt_domain\" \"etcd\" {\n  cpu { mode = \"maximum\" }\n}\n"
		require.NoError(t, os.WriteFile(filepath.Join(tf.dir, "modules", "etcd", "sandbox_override.tf"), []byte(override), 0o600))
	}
	rc := "provider_installation {\n  dev_overrides {\n"
	for _, provider := range []string{"dmacvicar/libvirt", "hashicorp/tls", "hashicorp/template"} {
		rc += fmt.Sprintf("    %q = %q\n", provider, filepath.Join(given, "providers"))
	}
	require.NoError(t, os.WriteFile(filepath.Join(tf.dir, "rc"), []byte(rc+"  }\n}\n"), 0o600))
	public, err := os.ReadFile(a.of("sshKey") + ".pub")
	require.NoError(t, err)
	tf.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(tf.dir, "rc"), "CHECKPOINT_DISABLE=1", "TERRAFORM_LIBVIRT_TEST_DOMAIN_TYPE="+a.of("domainType"),
		"TF_VAR_uri="+a.of("uri"), "TF_VAR_gateway="+a.of("gateway"), "TF_VAR_ssh_key="+strings.TrimSpace(string(public)))
	tf.run(t, "get")
	return tf
}

// run runs Terraform in the machines' network.
func (tf terraform) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, append([]string{"shell", "terraform", "-chdir=" + tf.dir}, args...)...)
	cmd.Env = tf.env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "terraform %v: %s", args, tail(string(out), 30))
	return string(out)
}

// program is what from-terraform makes of the state; its secrets are set in the stack.
func (tf terraform) program(t *testing.T, o *engine.Options) string {
	t.Helper()
	state, err := os.Open(filepath.Join(tf.dir, "terraform.tfstate"))
	require.NoError(t, err)
	defer state.Close()
	all, err := fromterraform.Read(state)
	require.NoError(t, err)
	made, err := fromterraform.Convert("test", all)
	require.NoError(t, err)
	require.Empty(t, made.Problems)
	o.Secrets = map[string]string{}
	for _, s := range made.Secrets {
		if !s.Plain {
			require.NotEmpty(t, s.Value, s.Key)
			o.Secrets[s.Key] = s.Value
		}
	}
	return string(made.Text)
}

// imageOfModules makes the base volume modules.qcow2: the baked one, where packages and binaries are where the modules
// leave them when they install them.
func imageOfModules(t *testing.T, a about) {
	t.Helper()
	const cloud = `bootcmd:
  - [sh, -c, "ln -sf /usr/bin/etcd /usr/bin/etcdctl /usr/local/bin/; ln -sf /usr/bin/prometheus-node-exporter /usr/local/bin/node_exporter; id node-exporter || useradd --system node-exporter"]
`
	dir := t.TempDir()
	raw, volume := filepath.Join(dir, "raw"), filepath.Join(a.of("state"), "pool", "modules.qcow2")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cloud.cfg"), []byte(cloud), 0o600))
	_, disk, _ := strings.Cut(must(t, "image", "baked"), "\n")
	for _, command := range [][]string{
		{"qemu-img", "convert", "-O", "raw", disk, raw},
		{"debugfs", "-w", "-R", "write " + filepath.Join(dir, "cloud.cfg") + " /etc/cloud/cloud.cfg.d/98_modules.cfg", raw + "?offset=1048576"},
		{"qemu-img", "convert", "-O", "qcow2", raw, volume},
		{program, "shell", "virsh", "pool-refresh", a.of("pool")},
	} {
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		require.NoError(t, err, "%v: %s", command, out)
	}
}
