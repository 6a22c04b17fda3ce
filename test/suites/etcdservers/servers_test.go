// Package etcdservers has the real engine bring up the members of a cluster against
// a fake libvirt: what is made, what resumes, what leaks.
package etcdservers

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

func newStack(t *testing.T, oldNew ...string) *engine.Stack {
	t.Helper()
	return engine.New(t, engine.Options{Program: engine.Servers(t, oldNew...), Config: map[string]string{"sshPublicKey": engine.SSHKey}})
}

func TestUpTwice(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	preview := s.Preview()
	assert.Empty(t, s.World.Events(), "a preview touches nothing")
	up := s.Up()
	assert.Equal(t, preview.Changes["create"], up.Changes["create"], "preview tells what up does")
	assert.ElementsMatch(t, []string{"etcd-1", "etcd-2", "etcd-3"}, s.World.Names("Domain"))
	assert.True(t, s.Preview().Unchanged())
	assert.True(t, s.Up().Unchanged())
	assert.True(t, s.Refresh().Unchanged())
	assert.Equal(t, []any{"192.168.122.11:2379", "192.168.122.12:2379", "192.168.122.13:2379"}, s.Outputs()["endpoints"])
	s.Destroy()
	assert.Empty(t, s.World.Objects(), "nothing is left behind")
}

func TestSecretsInState(t *testing.T) {
	t.Parallel()
	s := newStack(t, engine.Member("etcd-1"), engine.Member("etcd-1")+"      adminUserPassword: correct-horse-battery\n")
	up := s.Up()
	for what, text := range map[string]string{"state": s.Export(), "output": up.Stdout + up.Stderr + s.Preview("--diff").Stdout} {
		assert.NotContains(t, text, "PRIVATE KEY", what)
		assert.NotContains(t, text, "correct-horse-battery", what)
		assert.NotContains(t, text, "quorum-apply --first-boot", "user data in "+what)
	}
	for _, output := range []string{"ip", "endpoint", "caCert", "name", "machineId"} {
		assert.NotContains(t, s.Resource("EtcdServer", "etcd-1").Outputs[output], "ciphertext", output)
	}
}

func TestFailedUpResumes(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.World.Fail("create", "Domain", "etcd-2", "the hypervisor went away")
	assert.Contains(t, s.UpFails().Diagnostics, "the hypervisor went away")
	made := s.World.Log("Volume")
	s.World.Heal("create", "Domain", "etcd-2")
	s.World.Forget()
	s.Up()
	assert.Contains(t, s.World.Log("Domain"), "create end Domain etcd-2")
	for _, volume := range made {
		assert.NotContains(t, s.World.Log("Volume"), volume, "what was there is kept")
	}
	assert.True(t, s.Up().Unchanged())
}

// TestInterruptedUpResumes has somebody lose patience while volumes are made.
func TestInterruptedUpResumes(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.Setenv("FAKE_DELAY_MS", "1000")
	s.UpInterrupted(func() bool { return len(s.World.Log("Volume")) > 0 })
	made := s.World.Log("Volume")
	assert.Empty(t, s.World.Names("Domain"), "it stopped half-way")
	s.Setenv("FAKE_DELAY_MS", "0")
	s.World.Forget()
	s.Up()
	assert.Len(t, s.World.Names("Domain"), 3)
	for _, volume := range made {
		assert.NotContains(t, s.World.Log("Volume"), volume, "what was there is kept")
	}
	assert.True(t, s.Up().Unchanged())
}

// TestBack takes a change back that failed when the drive was made, and not yet
// that of before deleted.
func TestBack(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.Up()
	before := s.World.State("etcd-1")
	s.World.Fail("update", "Domain", "etcd-1", "the hypervisor went away")
	s.Program(engine.Servers(t, engine.Member("etcd-1"), engine.Member("etcd-1")+"      etcd: {spaceQuota: 1073741824}\n"))
	assert.Contains(t, s.UpFails().Diagnostics, "the hypervisor went away")
	s.World.Heal("update", "Domain", "etcd-1")
	s.Program(engine.Servers(t))
	s.Up()
	assert.Equal(t, before, s.World.State("etcd-1"))
	assert.Len(t, s.World.Names("CloudInitDisk"), 3, "no drive is left over")
	assert.True(t, s.Up().Unchanged())
}
