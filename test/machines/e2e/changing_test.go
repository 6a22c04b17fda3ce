//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// changing is a stack with an EtcdCluster.
type changing struct {
	*engine.Stack
	shape   shape
	root    client
	outputs map[string]any
	writer  string // program
	written int    // that etcd acknowledged
}

// shape is what changes in the program.
type shape struct {
	members  []string
	image    string
	etcd     string // settings
	sick     string // member that reaches nobody
	patience string // with it

	recoverFrom string
	asOf        string // patch day, if there is one
	proxy       string // of apt, for what the image lacks
}

func newChanging(t *testing.T) *changing {
	t.Helper()
	require.NoError(t, hardware.images(sandboxAbout(t), "first", "second", "third", "fourth"))
	c := &changing{shape: shape{members: []string{"etcd-1", "etcd-2", "etcd-3"}, image: "first", etcd: "{}"}, writer: buildWriter(t)}
	c.Stack = newStack(t, baked, c.shape.program(), []string{"etcd-1", "etcd-2", "etcd-3", "etcd-4", "etcd-5"},
		map[string]string{"sshPublicKey": engine.SSHKey, "pool": "quorum", "domainType": "kvm"})
	c.Up()
	c.outputs = c.Outputs()
	c.root = c.client(t, "10.77.0.11:2379,10.77.0.12:2379,10.77.0.13:2379")
	return c
}

// client is etcdctl as root.
func (c *changing) client(t *testing.T, endpoints string) client {
	t.Helper()
	file := func(output string) string { return secretFile(t, output, fmt.Sprint(c.outputs[output])) }
	return newClient(endpoints, file("caCert"), "--cert="+file("rootCert"), "--key="+file("rootKey"))
}

// change gives the program another form.
func (c *changing) change(to func(*shape)) {
	to(&c.shape)
	c.Program(c.shape.program())
}

func (s shape) program() string {
	packages := "installDependencies: false"
	if s.proxy != "" {
		packages = fmt.Sprintf("aptProxy: %q", s.proxy)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `
config: {sshPublicKey: {type: string}, pool: {type: string}, domainType: {type: string}}
resources:
  main:
    type: quorum:EtcdCluster
    properties:
      sshAdminPublicKey: ${sshPublicKey}
      %s
      etcd: %s
`, packages, s.etcd)
	if s.asOf != "" {
		fmt.Fprintf(&b, "      software: {asOf: %q}\n", s.asOf)
	}
	if s.recoverFrom != "" {
		fmt.Fprintf(&b, "      recoverFrom: %s\n", s.recoverFrom)
	}
	b.WriteString("      members:\n")
	for _, name := range s.members {
		prefix := 24
		if name == s.sick {
			prefix = 32
		}
		fmt.Fprintf(&b, `        - name: %s
          libvirt:
            vcpus: 1
            memory: 1024
            domainType: ${domainType}
            volume: {pool: "${pool}", baseVolumeName: %s.qcow2}
            dataVolume: {pool: "${pool}", size: 2147483648}
            cloudInitVolumePool: ${pool}
            networks: [{networkName: quorum, ip: 10.77.0.1%s, prefixLength: %d}]
`, name, s.image, strings.TrimPrefix(name, "etcd-"), prefix)
	}
	if s.patience != "" {
		fmt.Fprintf(&b, "    options: {customTimeouts: {update: %s}}\n", s.patience)
	}
	b.WriteString("outputs:\n")
	for _, output := range []string{"endpoints", "caCert", "rootCert", "rootKey", "machineIds"} {
		fmt.Fprintf(&b, "  %[1]s: ${main.%[1]s}\n", output)
	}
	return b.String()
}

// machineIDs are the ids of the machines, by the name of the member.
func (c *changing) machineIDs() map[string]any { return c.Outputs()["machineIds"].(map[string]any) }

// processes are those of etcd, by the name of the member.
func (c *changing) processes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range c.shape.members {
		all[name] = mainProcess(t, name, "etcd")
	}
	return all
}

// voters are the ids of the members that vote, by name.
func (c *changing) voters(t *testing.T) map[string]uint64 {
	t.Helper()
	var list struct {
		Members []struct {
			ID        uint64
			Name      string
			IsLearner bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(c.root.run(t, "member", "list", "-w", "json")), &list))
	voters := map[string]uint64{}
	for _, m := range list.Members {
		if !m.IsLearner {
			voters[m.Name] = m.ID
		}
	}
	return voters
}

// lead has a member lead the cluster.
func (c *changing) lead(t *testing.T, name string) {
	t.Helper()
	c.root.run(t, "move-leader", strconv.FormatUint(c.voters(t)[name], 16))
}

// count is how many keys begin so.
func (c *changing) count(t *testing.T, prefix string) int {
	t.Helper()
	var answer struct{ Count int }
	require.NoError(t, json.Unmarshal([]byte(c.root.run(t, "get", "--prefix", "--keys-only", "--limit=1", "-w", "json", prefix)), &answer))
	return answer.Count
}

// writesAnother waits for a write that begins now or later.
func (c *changing) writesAnother(t *testing.T, prefix string) {
	t.Helper()
	before := c.count(t, prefix)
	wait(t, "a write", func() error {
		if now := c.count(t, prefix); now < before+2 {
			return fmt.Errorf("%d were written, and are %d", before, now)
		}
		return nil
	})
}

// etcdTime is when something happened to etcd's service.
func etcdTime(t *testing.T, machine, what string) time.Time {
	t.Helper()
	said := on(t, machine, "systemctl", "show", "--timestamp=us+utc", "--value", "--property="+what, "etcd.service")
	at, err := time.Parse("Mon 2006-01-02 15:04:05.999999 MST", said)
	require.NoError(t, err)
	return at
}

// replaced are the machines that an update rebuilt.
func replaced(r engine.Result) []string {
	return slices.DeleteFunc(r.Ops("Domain"), func(op string) bool { return !strings.HasPrefix(op, "replace ") })
}
