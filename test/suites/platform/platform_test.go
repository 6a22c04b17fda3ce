// Package platform has the real engine bring up the stacks of examples/platform,
// and bring them back after all is lost: their machines are those of a fake
// libvirt, where real etcd, Patroni, PostgreSQL and HAProxy run.
package platform

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/postgresmachines"
)

// Names are served on machines only: here nothing listens on port 53. Nor is there what moves an address, or a pool.
const (
	served = "  served:\n"
	byName = `      haproxy:
        domain: nodes.postgres.${dns.outputs["domain"]}
`
)

const aStanza = `^platform-[0-9a-f]{8}$`

func TestStacksReferToEachOther(t *testing.T) {
	t.Parallel()
	subnet := loopback.Subnet(t)
	etcd := newStack(t, subnet, "etcd", nil, "", "")
	members := etcdmachines.Run(t, etcd.World)
	etcd.runs = func() bool { return members.Runs("etcd-1") || members.Runs("etcd-2") || members.Runs("etcd-3") }
	etcd.Up()
	dns := newStack(t, subnet, "dns", etcd, served, "outputs:\n")
	dns.Up()
	postgres := newStack(t, subnet, "postgres", etcd, byName, "outputs:\n")
	nodes := postgresmachines.Run(t, postgres.World)
	postgres.runs = func() bool { return nodes.Runs("postgres-1") || nodes.Runs("postgres-2") || nodes.Runs("postgres-3") }
	assert.Equal(t, postgres.Preview().Changes["create"], postgres.Up().Changes["create"])
	p := site{etcd, dns, postgres}
	p.areUnchanged(t)
	for _, s := range p.all() {
		for _, secret := range []string{
			"correct-horse", "secret-of-s3", "PRIVATE KEY", etcd.Output("rootPassword"), postgres.Output("superuserPassword"),
			etcd.Output("backupEncryptionKey"), postgres.Output("backupEncryptionKey"),
		} {
			assert.NotContains(t, s.Export(), secret)
		}
	}
	assert.Equal(t, []any{subnet + ".41:5432", subnet + ".42:5432"}, postgres.Outputs()["primary"])
	assert.Equal(t, subnet+".21", dns.Output("nameserver"))
	assert.Contains(t, postgres.World.State("postgres-1"), subnet+".12:2379")
	assert.NotContains(t, postgres.World.State("postgres-1"), etcd.Output("rootPassword"), "Patroni has a user of its own")
	assert.Regexp(t, aStanza, postgres.Output("backupStanza"))
	for _, s := range []*stack{etcd, postgres} {
		assert.NotEqual(t, "", s.Output("backupEncryptionKey"))
		assert.Contains(t, s.Outputs()["backupTimes"], "lastBackup")
	}
	p.isBroughtBack(t)
	for _, s := range []*stack{postgres, dns, etcd} {
		s.Destroy()
		assert.Empty(t, s.World.Objects())
	}
}

// newStack is one of the platform's, without what lies between two texts.
func newStack(t *testing.T, subnet, name string, first *stack, from, to string) *stack {
	t.Helper()
	program := engine.Example(t, filepath.Join("examples", "platform", name, "Pulumi.yaml"))
	if from != "" {
		before, rest, found := strings.Cut(program, from)
		require.True(t, found, from)
		_, after, found := strings.Cut(rest, to)
		require.True(t, found, to)
		program = before + to + after
	}
	ca, err := os.ReadFile(filepath.Join(engine.Root(), "provider", "testdata", "pki", "ca.crt"))
	require.NoError(t, err)
	options := engine.Options{
		Program: program, Project: "platform-" + name,
		Config: map[string]string{
			"sshPublicKey": engine.SSHKey, "subnet": subnet, "watchdogMode": "off",
			"s3Endpoint": "https://s3.example.org", "s3CaCert": string(ca),
		},
		Secrets: map[string]string{"etcdPassword": "correct-horse", "s3AccessKey": "key-of-s3", "s3SecretKey": "secret-of-s3"},
	}
	if first != nil {
		options.Beside = first.Stack
	}
	return &stack{Stack: engine.New(t, options), program: program}
}
