//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onVirtualMachines are the steps that their kernel, disks and plugin matter to.
var onVirtualMachines = []step{
	{"boot", testBoot},
	{"data volume", testDataVolume},
	{"zone", testZone},
	{"replication", testReplication},
	{"growth", testGrowth},
	{"unchanged", testPlatformUnchanged},
	{"settings", testLiveSettings},
	{"logins", testLogins},
	{"resolvers", testResolvers},
	{"certificates", testRenewal},
	{"mistake", testMistake},
	{"authority", testAuthority},
	{"leader killed", testLeaderKilled},
	{"roll", testRoll},
	{"watchdog", testWatchdog},
	{"destroy", testDestroyed},
}

// onVirtualDisks are the steps that the kernel's clock and device units matter to.
var onVirtualDisks = []dataStep{
	{"wrong clock", testWrongClock},
	{"errors that fsck does not repair", testUnrepairable},
	{"a volume of the same name", testVolumeOfAnother},
	{"destroy", func(_ *testing.T, m dataMachine) { m.Destroy() }},
}

// testVolumeOfAnother has a volume in the pool that is called as the data volume of a new machine would be, and has been
// written to: it is not taken for that one.
func testVolumeOfAnother(t *testing.T, m dataMachine) {
	a := sandboxAbout(t)
	must(t, "shell", "virsh", "vol-clone", "--pool", a.of("pool"), a.of("baseVolume"), "etcd-24-data.qcow2")
	_, another, _ := strings.Cut(strings.NewReplacer("etcd-23", "etcd-24", "10.77.0.23", "10.77.0.24").Replace(withData(t)), "  etcd-24:\n")
	m.Program(withData(t) + "  etcd-24:\n" + another)
	assert.Contains(t, m.UpFails().Diagnostics, "the pool quorum has a volume etcd-24-data.qcow2 already, with ")
	must(t, "shell", "virsh", "vol-delete", "--pool", a.of("pool"), "etcd-24-data.qcow2")
	m.Program(withData(t))
	m.Up()
}

// setHardwareClock sets the clock that the machine boots with, that many seconds from now.
const setHardwareClock = `import fcntl, struct, sys, time
now = time.gmtime(time.time() + int(sys.argv[1]))
RTC_SET_TIME = 0x4024700A
with open("/dev/rtc0") as clock:
    fcntl.ioctl(clock, RTC_SET_TIME, struct.pack("9i", now.tm_sec, now.tm_min, now.tm_hour, now.tm_mday, now.tm_mon - 1, now.tm_year - 1900, 0, 0, 0))
`

// testWrongClock has the machine boot three days before its certificate was made.
func testWrongClock(t *testing.T, m dataMachine) {
	generation, boot := status(t, m.name)["generation"], func() string {
		id, _ := hardware.do("exec", m.name, "cat", "/proc/sys/kernel/random/boot_id")
		return id
	}
	m.Program(withData(t, "installDependencies: false", fmt.Sprintf("chrony: {servers: [{url: %s}]}", must(t, "ntp"))))
	m.Up()
	applied(t, m.name, generation)

	before := boot()
	on(t, m.name, "sh", "-ec", `systemctl stop chrony; python3 -c "$0" -259200; sync; systemd-run --on-active=1 systemctl reboot`, setHardwareClock)
	wait(t, "the reboot of "+m.name, func() error {
		if now := boot(); now == "" || now == before {
			return errors.New("it has not rebooted yet")
		}
		return nil
	})
	m.isWell(t)
	assert.InDelta(t, time.Now().Unix(), number(t, m.name, "date", "+%s"), 30)
	log := on(t, m.name, "journalctl", "--boot", "--output=cat", "--unit=chrony", "--unit=quorum-clock")
	assert.Regexp(t, `System clock wrong by 2\d{5}\.\d+ seconds`, log, "it booted with the wrong time")
	assert.Contains(t, log, "wait-for-clock: the clock is synchronised")
	started := func(unit, when string) int64 {
		return number(t, m.name, "systemctl", "show", "--value", "--property="+when+"TimestampMonotonic", unit)
	}
	assert.Less(t, started("quorum-clock", "ActiveEnter"), started("etcd", "InactiveExit"), "etcd starts when the clock is right")
}

// number is what a command prints.
func number(t *testing.T, machine string, command ...string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimSpace(on(t, machine, command...)), 10, 64)
	require.NoError(t, err)
	return n
}

// absent are members of the example's etcd that the platform is without.
var absent []string

// without is a program short of some of a cluster's members.
func without(t *testing.T, program string, names ...string) string {
	t.Helper()
	for _, name := range names {
		pattern := regexp.MustCompile(`(?m)^        - \{name: ` + name + `, .*\n`)
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

// testGrowth has the data volumes of all members and nodes grow, below services that go on.
func testGrowth(t *testing.T, p platform) {
	before, boots := p.processes(t), map[string]string{}
	for name := range before {
		boots[name] = on(t, name, "cat", "/proc/sys/kernel/random/boot_id")
	}
	p.whileWriting(t, func() {
		for _, stack := range []struct {
			name, place string
			machines    []string
		}{{"etcd", "/var/lib/etcd", members}, {"postgres", "/var/lib/postgresql", nodes}} {
			p.edit(t, stack.name, "size: 10737418240}", "size: 12884901888}")
			up := p.stack(stack.name).Up()
			assert.Empty(t, replaced(up))
			assert.Len(t, up.Ops("Volume"), len(stack.machines))
			for _, name := range stack.machines {
				wait(t, "the file system of "+name, func() error {
					if mib := number(t, name, "sh", "-c", "df --output=size --block-size=M '"+stack.place+"' | tail -n 1 | tr -dc 0-9"); mib < 11500 {
						return fmt.Errorf("it has %d MiB", mib)
					}
					return nil
				})
			}
		}
	})
	for name, process := range before {
		service := map[bool]string{true: "etcd", false: "patroni"}[slices.Contains(members, name)]
		assert.Equal(t, process, mainProcess(t, name, service), name)
		assert.Equal(t, boots[name], on(t, name, "cat", "/proc/sys/kernel/random/boot_id"), name)
	}
}
