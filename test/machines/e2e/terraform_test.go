//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fromterraform"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// terraform is a configuration that real Terraform applies to the sandbox's hypervisor.
type terraform struct {
	dir string
	env []string
	uri string // of the hypervisor
}

// domains are the modules that make machines, and what those are called in them.
var domains = map[string]string{"etcd": "etcd", "postgres": "postgres", "postgres-load-balancer": "postgres_lb_node"}

// newTerraform needs what is not in this repository: QUORUM_TERRAFORM is a directory with modules/, where etcd is
// kvm-etcd-server, postgres kvm-postgres-server, postgres-load-balancer kvm-postgres-load-balancer, and what they have as
// sources is beside them, and providers/, with terraform-provider-libvirt, -tls and -template. The machines are made of
// the image modules.qcow2.
func newTerraform(t *testing.T, from string) terraform {
	t.Helper()
	given := os.Getenv("QUORUM_TERRAFORM")
	if _, is := hardware.(*virtual); !is || given == "" {
		t.Skip("needs virtual machines, QUORUM_MACHINES=virtual, and the modules and providers of Terraform, QUORUM_TERRAFORM=DIR")
	}
	a := sandboxAbout(t)
	tf := terraform{dir: t.TempDir(), uri: a.of("uri")}
	require.NoError(t, os.CopyFS(tf.dir, os.DirFS(filepath.Join("testdata", from))))
	modules := filepath.Join(tf.dir, "modules")
	require.NoError(t, os.CopyFS(modules, os.DirFS(filepath.Join(given, "modules"))))
	ofImage(t, modules)
	for module, domain := range domains {
		_, err := os.Stat(filepath.Join(modules, module))
		if err == nil && a.of("domainType") == "qemu" { // which has no host-passthrough, as the modules want it
			override := fmt.Sprintf("resource \"libvirt_domain\" %q {\n  cpu { mode = \"maximum\" }\n}\n", domain)
			require.NoError(t, os.WriteFile(filepath.Join(modules, module, "sandbox_override.tf"), []byte(override), 0o600))
		}
	}
	rc := "provider_installation {\n  dev_overrides {\n"
	for _, provider := range []string{"dmacvicar/libvirt", "hashicorp/tls", "hashicorp/template"} {
		rc += fmt.Sprintf("    %q = %q\n", provider, filepath.Join(given, "providers"))
	}
	require.NoError(t, os.WriteFile(filepath.Join(tf.dir, "rc"), []byte(rc+"  }\n}\n"), 0o600))
	public, err := os.ReadFile(a.of("sshKey") + ".pub")
	require.NoError(t, err)
	tf.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(tf.dir, "rc"), "CHECKPOINT_DISABLE=1", "TERRAFORM_LIBVIRT_TEST_DOMAIN_TYPE="+a.of("domainType"),
		"TF_VAR_uri="+tf.uri, "TF_VAR_gateway="+a.of("gateway"), "TF_VAR_ssh_key="+strings.TrimSpace(string(public)))
	tf.run(t, "get")
	return tf
}

// apply makes one thing at a time: the provider reads a drive back before another one is whole.
func (tf terraform) apply(t *testing.T) {
	t.Helper()
	tf.run(t, "apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1")
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

// ofImage has the modules look for the PostgreSQL that the image has, where theirs is 14.
func ofImage(t *testing.T, modules string) {
	t.Helper()
	rootfs, _, _ := strings.Cut(must(t, "image", "baked"), "\n")
	releases, err := filepath.Glob(filepath.Join(rootfs, "usr", "lib", "postgresql", "*"))
	require.NoError(t, err)
	require.Len(t, releases, 1)
	require.NoError(t, filepath.WalkDir(modules, func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() || filepath.Ext(path) != ".tpl" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(text, []byte("/postgresql/14/"), []byte("/postgresql/"+filepath.Base(releases[0])+"/")), 0o600)
	}))
}

// program is what from-terraform makes of the state. Its secrets are set in the stack, and what it asks for.
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
		if s.Plain {
			o.Config[s.Key] = tf.asked(t, s.Key)
			continue
		}
		require.NotEmpty(t, s.Value, s.Key)
		o.Secrets[s.Key] = s.Value
	}
	return string(made.Text)
}

// asked is what the state does not tell: it has the bridge of the network alone.
func (tf terraform) asked(t *testing.T, key string) string {
	t.Helper()
	for of, value := range map[string]string{"libvirtUri": tf.uri, "NetworkName": "quorum", "EtcdVersion": "3.5.26"} {
		if strings.Contains(key, of) {
			return value
		}
	}
	require.Fail(t, "from-terraform asks for "+key)
	return ""
}

// sandboxed reads a program of from-terraform. The machines of one of its clusters are made of the sandbox's image, unless
// they are among the external ones.
func sandboxed(t *testing.T, text, cluster string, external []string) (all, properties map[string]any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &all))
	for _, key := range []string{"name", "description", "runtime"} {
		delete(all, key)
	}
	config := all["config"].(map[string]any)
	config["domainType"], config["baseVolume"] = map[string]any{"type": "string"}, map[string]any{"type": "string"}
	properties = all["resources"].(map[string]any)[cluster].(map[string]any)["properties"].(map[string]any)
	libvirt := properties["libvirt"].(map[string]any)
	libvirt["domainType"] = "${domainType}"
	libvirt["volume"].(map[string]any)["baseVolumeName"] = "${baseVolume}"
	for _, list := range []string{"members", "nodes", "loadBalancers"} {
		machines, _ := properties[list].([]any)
		for _, m := range machines {
			if m := m.(map[string]any); !slices.Contains(external, m["name"].(string)) {
				delete(m, "external")
			}
		}
	}
	return all, properties
}

// shutDown does what an update asks for: the disks stay. It returns the machine's definition.
func shutDown(t *testing.T, name string) (definition string) {
	t.Helper()
	definition = must(t, "shell", "virsh", "dumpxml", "--inactive", name)
	must(t, "shell", "virsh", "shutdown", name)
	wait(t, name+" to be shut off", func() error {
		if state := must(t, "shell", "virsh", "domstate", name); state != "shut off" {
			return fmt.Errorf("it is %s", state)
		}
		return nil
	})
	must(t, "shell", "virsh", "undefine", name)
	return definition
}

// forget has Terraform know nothing any more.
func (tf terraform) forget(t *testing.T) {
	t.Helper()
	tf.run(t, append([]string{"state", "rm"}, strings.Fields(tf.run(t, "state", "list"))...)...)
	require.Empty(t, tf.run(t, "state", "list"))
}
