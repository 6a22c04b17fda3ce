//go:build e2e

package e2e

import (
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onVirtualMachines are the steps that their kernel, disks and plugin matter to.
var onVirtualMachines = []step{
	{"boot", testBoot},
	{"data volume", testDataVolume},
	{"zone", testZone},
	{"replication", testReplication},
	{"unchanged", testPlatformUnchanged},
	{"settings", testLiveSettings},
	{"certificates", testRenewal},
	{"mistake", testMistake},
	{"authority", testAuthority},
	{"leader killed", testLeaderKilled},
	{"roll", testRoll},
	{"watchdog", testWatchdog},
	{"destroy", testDestroyed},
}

// absent are members of the example's etcd that the platform is without.
var absent []string

// without is a program short of some of a cluster's members.
func without(t *testing.T, program string, names ...string) string {
	t.Helper()
	for _, name := range names {
		pattern := regexp.MustCompile(`(?m)^        - name: ` + name + `\n(          .*\n)+`)
		require.Regexp(t, pattern, program)
		program = pattern.ReplaceAllString(program, "")
	}
	return program
}

// testWatchdog has Patroni of the leader hang. The watchdog resets the machine
// before another node leads, and is there again after the reboot.
func testWatchdog(t *testing.T, p platform) {
	leader, _ := settled(t)
	boot := func() (string, error) { return hardware.do("exec", leader, "cat", "/proc/sys/kernel/random/boot_id") }
	before, err := boot()
	require.NoError(t, err)
	p.database.whileWriting(t, func() {
		on(t, leader, "systemctl", "kill", "--kill-whom=main", "--signal=STOP", "patroni")
		wait(t, "the reset of "+leader, func() error {
			now, err := boot()
			if err == nil && now == before {
				err = errors.New("it runs on")
			}
			return err
		})
	})
	now, _ := settled(t)
	assert.NotEqual(t, leader, now)
	for _, node := range nodes {
		assert.Equal(t, "active", on(t, node, "systemctl", "is-active", "quorum-watchdog"), node)
	}
	assert.Contains(t, openedBy(t, now), "/dev/watchdog")
}

// openedBy lists what Patroni of a node has open.
func openedBy(t *testing.T, node string) string {
	t.Helper()
	return on(t, node, "sh", "-c", `ls -l /proc/"$0"/fd`, mainProcess(t, node, "patroni"))
}

// testDataVolume looks where PostgreSQL's data lies.
func testDataVolume(t *testing.T, _ platform) {
	for _, node := range nodes {
		assert.Equal(t, "postgres_data", on(t, node, "findmnt", "--noheadings", "--output=LABEL", "--target=/var/lib/postgresql/data"), node)
	}
}
