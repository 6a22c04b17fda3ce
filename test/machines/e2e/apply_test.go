//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// lone is a machine of no stack: it is given its states here.
type lone struct{ name, ip, seed string }

// newLone boots one with a state. It is gone after the test.
func newLone(t *testing.T, name, ip string, s guest.State) lone {
	t.Helper()
	if _, is := hardware.(containers); !is {
		t.Skip("needs a seed directory in the place of a drive")
	}
	m := lone{name, ip, t.TempDir()}
	m.write(t, s, guest.Apply())
	t.Cleanup(func() {
		if t.Failed() {
			console, _ := hardware.do("console", name)
			journal, _ := hardware.do("exec", name, "journalctl", "--no-pager", "--unit=quorum-apply")
			t.Logf("console of %s:\n%s\n%s", name, tail(console, 40), tail(journal, 60))
		}
		machine(t, "down", name)
	})
	must(t, "machine", "up", name, sandboxAbout(t).of(string(baked)), m.seed, m.mac())
	done(t, name)
	return m
}

func (m lone) mac() string { return "52:54:00:77:00:" + m.ip[len(m.ip)-2:] }

// write makes the files of a drive, with a state and a program to take it.
func (m lone) write(t *testing.T, s guest.State, program string) (generation string) {
	t.Helper()
	u, err := host.UserData(m.name, host.Admin{User: "admin", PublicKey: "ssh-ed25519 AAAA"})
	require.NoError(t, err)
	s.Machine = m.name
	generation, err = host.Deliver(s, &u)
	require.NoError(t, err)
	u.WriteFiles[0], err = cloudinit.WriteFile{Path: guest.ApplyPath, Owner: "root:root", Permissions: "0755", Content: program}.Compressed()
	require.NoError(t, err)
	user, err := u.Marshal()
	require.NoError(t, err)
	meta, err := cloudinit.MetaData(m.name, m.name)
	require.NoError(t, err)
	network, err := cloudinit.NetworkConfig([]cloudinit.Interface{{Name: "lone0", MAC: m.mac(), IP: m.ip, Prefix: 24}})
	require.NoError(t, err)
	for name, text := range map[string]string{"user-data": user, "meta-data": meta, "network-config": network} {
		require.NoError(t, os.WriteFile(filepath.Join(m.seed, name), []byte(text), 0o600))
	}
	return generation
}

// bring swaps the drive of the machine as it runs.
func (m lone) bring(t *testing.T, s guest.State, program string) (generation string) {
	t.Helper()
	generation = m.write(t, s, program)
	machine(t, "reseed", m.name, m.seed)
	return generation
}

// ends waits for the end of the run with a generation.
func (m lone) ends(t *testing.T, generation, outcome, reason string) {
	t.Helper()
	wait(t, outcome+" on "+m.name, func() error {
		if now := status(t, m.name); now["generation"] != generation || now["outcome"] != outcome || !strings.Contains(now["reason"], reason) {
			return fmt.Errorf("quorum-apply says %v", now)
		}
		return nil
	})
}

// TestTakesADriveWhateverTheBootWaitsFor has a member's certificate expire, so
// that its etcd does not get ready at the next boot, and the boot does not end.
func TestTakesADriveWhateverTheBootWaitsFor(t *testing.T) {
	t.Parallel()
	c := newLoopback(t)
	m := newLone(t, "etcd-71", "10.77.0.71", c.state(c.valid))
	require.Equal(t, "done", status(t, m.name)["outcome"])
	m.ends(t, m.bring(t, c.state(c.expired), guest.Apply()), "done", "")
	machine(t, "reboot", m.name)
	blocked := func() {
		wait(t, "a boot that waits for etcd", func() error {
			jobs := on(t, m.name, "systemctl", "list-jobs", "--no-legend")
			if !strings.Contains(jobs, "etcd.service") || !strings.Contains(jobs, "multi-user.target") || strings.Contains(jobs, "quorum-apply") {
				return fmt.Errorf("the jobs are %q", jobs)
			}
			return nil
		})
	}
	blocked()

	// The state that it boots with is in force: nothing is restarted for it.
	m.ends(t, status(t, m.name)["generation"], "done", "nothing to do")
	assert.Equal(t, "activating", stateOf(t, m.name, "etcd"))

	// A change that restarts the etcd that waits, in the transaction of the boot.
	cured := c.state(c.valid)
	cured.Services[2].RestartKey = "another"
	m.ends(t, m.bring(t, cured, guest.Apply()), "done", "1 service restarted")
	assert.Equal(t, "active", stateOf(t, m.name, "etcd"))
	assert.Equal(t, "active", stateOf(t, m.name, "multi-user.target"))

	// A drive that came while the machine was off.
	expired := c.state(c.expired)
	expired.Services[2].RestartKey = "another"
	m.ends(t, m.bring(t, expired, guest.Apply()), "done", "1 file changed")
	generation := m.write(t, cured, guest.Apply())
	m.copySeed(t)
	machine(t, "off", m.name)
	machine(t, "reboot", m.name)
	m.ends(t, generation, "done", "")
	wait(t, "an etcd that the boot starts", func() error { // it may still be at it: no drive asked for a restart
		if state := stateOf(t, m.name, "etcd"); state != "active" {
			return fmt.Errorf("it is %s", state)
		}
		return nil
	})
}

// TestTakesADriveWhileAnotherWaits has etcd never get well with one drive, and
// the next one bring the cure.
func TestTakesADriveWhileAnotherWaits(t *testing.T) {
	t.Parallel()
	c := newLoopback(t)
	m := newLone(t, "etcd-72", "10.77.0.72", c.state(c.valid))
	first := status(t, m.name)["generation"]

	sick := c.state(c.expired)
	sick.Services[2].RestartKey = "another"
	m.bring(t, sick, guest.Apply())
	wait(t, "an etcd that does not get ready", func() error {
		if said := on(t, m.name, "journalctl", "--no-pager", "--unit=quorum-apply"); !strings.Contains(said, "etcd.service: waiting") {
			return fmt.Errorf("quorum-apply says %s", said)
		}
		return nil
	})
	cured := c.state(c.valid)
	cured.Services[2].RestartKey = "a third"
	m.ends(t, m.bring(t, cured, guest.Apply()), "done", "")
	assert.Contains(t, on(t, m.name, "journalctl", "--no-pager", "--unit=quorum-apply"), "another drive has come")
	assert.NotEqual(t, first, status(t, m.name)["inForce"])
	assert.Equal(t, "active", stateOf(t, m.name, "etcd"))
}

// TestTriesItsOwnProgram brings programs that do not work, on machines whose
// units and files are those of a real systemd.
func TestTriesItsOwnProgram(t *testing.T) {
	t.Parallel()
	const mark = " def settle_services(self):\n"
	require.Equal(t, 1, strings.Count(guest.Apply(), mark))
	s := func(text string) guest.State {
		return guest.State{Files: []guest.File{guest.Public("/etc/quorum-test", text)}}
	}
	m := newLone(t, "etcd-73", "10.77.0.73", s("1"))
	for _, broken := range []struct{ program, outcome, reason string }{
		{"import no_such_module\n" + guest.Apply(), "failed", "ModuleNotFoundError: No module named 'no_such_module'"},
		{"#!/bin/sh\nexit 0\n", "failed", "the quorum-apply on the drive does not work"},
		{strings.Replace(guest.Apply(), mark, mark+"  os.kill(os.getpid(), 9)\n", 1), "rolled back", "was ended by SIGKILL"},
	} {
		m.ends(t, m.bring(t, s("2"), broken.program), broken.outcome, broken.reason)
		assert.Equal(t, guest.Apply(), on(t, m.name, "cat", guest.ApplyPath)+"\n")
		assert.Equal(t, "1", on(t, m.name, "cat", "/etc/quorum-test"))
	}
	newer := strings.Replace(guest.Apply(), "RestartSec=60", "RestartSec=61", 1) + "# newer\n"
	m.ends(t, m.bring(t, s("3"), newer), "done", "1 file changed")
	assert.Equal(t, newer, on(t, m.name, "cat", guest.ApplyPath)+"\n")
	assert.Equal(t, "1min 1s", on(t, m.name, "systemctl", "show", "--value", "--property=RestartUSec", "quorum-apply"))
	machine(t, "reboot", m.name)
	m.ends(t, m.bring(t, s("4"), guest.Apply()), "done", "1 file changed")
	assert.Equal(t, guest.Apply(), on(t, m.name, "cat", guest.ApplyPath)+"\n")
}

// copySeed puts the drive in place as it is while the machine does not run.
func (m lone) copySeed(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(m.seed, "user-data"))
	require.NoError(t, err)
	on(t, m.name, "sh", "-c", `printf %s "$0" >/var/lib/cloud/seed/nocloud/user-data && sync`, string(text))
}

func stateOf(t *testing.T, machine, unit string) string {
	t.Helper()
	return on(t, machine, "systemctl", "show", "--value", "--property=ActiveState", unit)
}
