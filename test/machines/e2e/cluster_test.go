//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// strangers are certificates that must not let anybody in: one that the
// authority signed for a user that etcd does not have, and one of root by an
// authority that nobody trusts.
const strangers = `
  aliceRequest:
    type: tls:CertRequest
    properties:
      privateKeyPem: ${rootKey.privateKeyPem}
      subject: {commonName: alice}
  alice:
    type: tls:LocallySignedCert
    properties:
      certRequestPem: ${aliceRequest.certRequestPem}
      caCertPem: ${ca.certPem}
      caPrivateKeyPem: ${caKey.privateKeyPem}
      validityPeriodHours: 24
      allowedUses: [digital_signature, client_auth]
  forged:
    type: tls:SelfSignedCert
    properties:
      privateKeyPem: ${rootKey.privateKeyPem}
      validityPeriodHours: 24
      allowedUses: [digital_signature, client_auth]
      subject: {commonName: root}

outputs:
  aliceCert: ${alice.certPem}
  forgedCert: ${forged.certPem}
`

var members = []string{"etcd-1", "etcd-2", "etcd-3"}

// cluster is the one of examples/etcd-servers.
type cluster struct {
	*engine.Stack
	root, alice, forged, anonymous client
	second                         client // root, of etcd-2 alone
}

// servers is the program of examples/etcd-servers, with inputs for each member.
func servers(t *testing.T, inputs string) string {
	t.Helper()
	return engine.Servers(t, "\noutputs:\n", strangers, engine.EachMember, engine.EachMember+inputs)
}

// TestCluster goes through the life of one cluster: each step needs those before it.
func TestCluster(t *testing.T) {
	t.Parallel()
	s := newStack(t, baked, servers(t, ""), members, map[string]string{
		"sshPublicKey": engine.SSHKey, "subnet": "10.77.0", "network": "quorum", "memory": "1024", "installDependencies": "false",
	})
	s.Up()
	assert.Subset(t, machines(t), members)
	c := newCluster(t, s)
	for _, step := range []struct {
		name string
		run  func(*testing.T, cluster)
	}{
		{"members", testMembers},
		{"unchanged", testUnchanged},
		{"access", testAccess},
		{"machines", testMachines},
		{"settings", testSettings},
		{"reboot", testReboot},
		{"destroy", testDestroy},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, c) }) {
			return
		}
	}
}

func newCluster(t *testing.T, s *engine.Stack) cluster {
	t.Helper()
	outputs := s.Outputs()
	file := func(output string) string {
		text, _ := outputs[output].(string)
		require.NotEmpty(t, text, output)
		return secretFile(t, output, text)
	}
	var endpoints []string
	for _, endpoint := range outputs["endpoints"].([]any) {
		endpoints = append(endpoints, fmt.Sprint(endpoint))
	}
	require.Len(t, endpoints, len(members))
	all, ca, key, cert := strings.Join(endpoints, ","), file("caCert"), "--key="+file("rootKey"), "--cert="+file("rootCert")
	return cluster{
		Stack:     s,
		root:      newClient(all, ca, key, cert),
		second:    newClient(endpoints[1], ca, key, cert),
		alice:     newClient(all, ca, key, "--cert="+file("aliceCert")),
		forged:    newClient(all, ca, key, "--cert="+file("forgedCert")),
		anonymous: newClient(all, ca),
	}
}

func testMembers(t *testing.T, c cluster) {
	waitForAuth(t, "etcd-1")
	c.waitHealthy(t)
	var list struct {
		Members []struct {
			Name      string
			IsLearner bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(c.root.run(t, "member", "list", "-w", "json")), &list))
	var voters []string
	for _, member := range list.Members {
		if !member.IsLearner {
			voters = append(voters, member.Name)
		}
	}
	assert.ElementsMatch(t, members, voters)
	for _, machine := range members {
		boxed(t, machine, "3.0", "etcd")
	}
	boxed(t, "etcd-1", "3.0", "etcd-auth")
}

// boxed has systemd say that a machine's services are exposed no more than that, of 10.
func boxed(t *testing.T, machine, most string, units ...string) {
	t.Helper()
	for _, unit := range units {
		out, err := hardware.do("exec", machine, "systemd-analyze", "security", "--no-pager", "--threshold="+strings.ReplaceAll(most, ".", ""), unit+".service")
		assert.NoError(t, err, "%s: %s", machine, out)
	}
}

func testUnchanged(t *testing.T, c cluster) { assert.Empty(t, c.Up().Ops("")) }

func testAccess(t *testing.T, c cluster) {
	c.root.run(t, "put", "greeting", "hello")
	c.hasData(t)
	c.alice.refused(t, "permission denied")
	for _, unknown := range []client{c.anonymous, c.forged} { // etcdctl does not say that it is the handshake
		append(unknown[:len(unknown):len(unknown)], "--command-timeout=3s").refused(t, "context deadline exceeded")
	}
	c.hasData(t)
	assert.Empty(t, c.root.run(t, "get", "intruder"))
}

func testDestroy(t *testing.T, c cluster) {
	c.Destroy()
	for _, machine := range members {
		assert.NotContains(t, machines(t), machine)
	}
}

func (c cluster) hasData(t *testing.T) {
	t.Helper()
	assert.Equal(t, "hello", c.root.run(t, "get", "greeting", "--print-value-only"))
}

func (c cluster) waitHealthy(t *testing.T) {
	t.Helper()
	wait(t, "three healthy members", func() error {
		_, err := c.root.try("endpoint", "health")
		return err
	})
}

// waitForAuth waits until the member that bootstraps has turned authentication on.
func waitForAuth(t *testing.T, machine string) {
	t.Helper()
	wait(t, "etcd-auth.service on "+machine, func() error {
		_, err := hardware.do("exec", machine, "systemctl", "is-active", "etcd-auth.service")
		return err
	})
}
