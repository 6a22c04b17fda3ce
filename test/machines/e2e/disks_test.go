//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type dataStep struct {
	name string
	run  func(*testing.T, dataMachine)
}

// dataSteps need those before them.
var dataSteps = []dataStep{
	{"errors that fsck repairs", testRepairable},
	{"errors that it does not", testUnrepairable},
	{"other numbers", testOtherNumbers},
	{"format cut", testFormatCut},
	{"somebody else's disk", testSomebodysDisk},
	{"destroy", func(_ *testing.T, m dataMachine) { m.Destroy() }},
}

// TestDataVolume has the data volume of a machine be what it should not.
func TestDataVolume(t *testing.T) {
	t.Parallel()
	const name = "etcd-23"
	s := newStack(t, baked, withData(t, "installDependencies: false"), []string{name}, nil)
	s.Up()
	done(t, name)
	m := dataMachine{s, name}
	m.etcd(t, "put", "greeting", "hello")
	for _, step := range dataSteps {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, m) }) {
			return
		}
	}
}

// errorsNoted is what the kernel notes in the superblock when it finds errors.
const errorsNoted = `debugfs -w -R "set_super_value state 2" "$disk"`

func testRepairable(t *testing.T, m dataMachine) {
	m.changed(t, `debugfs -w -R "set_inode_field data links_count 7" "$disk"; `+errorsNoted)
	m.isWell(t)
	log := on(t, m.name, "journalctl", "--unit=quorum-fsck-etcd_data", "--boot", "--output=cat")
	assert.Contains(t, log, "contains a file system with errors, check forced")
	assert.Contains(t, log, "FIXED")
}

// testUnrepairable has a file that no directory names, which fsck repairs only when it is told to.
func testUnrepairable(t *testing.T, m dataMachine) {
	const why = "/var/lib/etcd: not mounted, and nothing that needs it is started: the file system etcd_data on "
	m.changed(t, `debugfs -w -R "write /bin/sh lost" "$disk"; debugfs -w -R "unlink lost" "$disk"; `+errorsNoted)
	for try := range 2 {
		if try > 0 { // the next boot tries again
			m.boot(t)
		}
		ended(t, m.name, "failed", why)
		for unit, state := range map[string]string{"etcd": "inactive", "var-lib-etcd.mount": "inactive", "prometheus-node-exporter": "active"} {
			out, _ := hardware.do("exec", m.name, "systemctl", "is-active", unit)
			assert.Equal(t, state, strings.TrimSpace(out), unit)
		}
		assert.Empty(t, on(t, m.name, "ls", "/var/lib/etcd"), "nothing is put below the mount")
	}
	assert.Contains(t, on(t, m.name, "journalctl", "--unit=quorum-fsck-etcd_data", "--boot", "--output=cat"), "UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY")
	_, command, found := strings.Cut(status(t, m.name)["reason"], "`e2fsck ")
	require.True(t, found)
	device, _, _ := strings.Cut(command, "`")
	on(t, m.name, "sh", "-c", `e2fsck -y "$0"; [ $? = 1 ] && quorum-apply`, device)
	m.isWell(t)
}

// testOtherNumbers has a rebuilt machine know the user etcd by another number
// than the one that wrote the data: the package made it there, and quorum-apply here.
func testOtherNumbers(t *testing.T, m dataMachine) {
	number := func() string { return on(t, m.name, "id", "--user", "etcd") }
	before := number()
	url, sum := release(t, "etcd")
	m.Setenv("FAKE_ROOTFS", sandboxAbout(t).of(string(stock)))
	m.Program(withData(t, "sshAdminUser: another", "aptProxy: "+must(t, "apt-proxy"), fmt.Sprintf("artifacts: {etcd: {url: %q, sha256: %q}}", url, sum)))
	m.Up()
	done(t, m.name)
	assert.NotEqual(t, before, number())
	m.isWell(t)
	assert.Contains(t, on(t, m.name, "journalctl", "--unit=etcd", "--output=cat"), "files and directories given to etcd ("+number())

	on(t, m.name, "sh", "-c", "systemctl stop etcd && chown -R 4711:4711 /var/lib/etcd/data/member && sync") // a chown that was cut
	m.boot(t)
	m.isWell(t)
}

// cutFormat stands for mkfs: the real one works on a file, and is killed by its
// first write beyond 20 MB. What it has written goes to the disk.
const cutFormat = `#!/bin/sh
for argument; do disk=$size size=$argument; done
truncate -s "${size%k}K" /var/tmp/disk
sh -c "ulimit -f 40000; exec /sbin/mkfs.ext4 -q /var/tmp/disk"
dd if=/var/tmp/disk of="$disk" bs=64K conv=sparse,notrunc status=none
kill -KILL $$
`

// testFormatCut has the formatting of a blank disk be killed, and the next boot finish it.
func testFormatCut(t *testing.T, m dataMachine) {
	m.changed(t, `blkdiscard --zeroout "$disk"; mkdir /root/cut; printf %s "$0" >/root/cut/mkfs.ext4; chmod +x /root/cut/mkfs.ext4
		PATH=/root/cut:$PATH quorum-apply && exit 1
		quorum-apply --status | grep "reason: mkfs.ext4"; [ -z "$(blkid --probe "$disk")" ]`, cutFormat)
	ended(t, m.name, "done", "")
	assert.Contains(t, on(t, m.name, "journalctl", "--unit=quorum-apply", "--boot", "--output=cat"), "formatting it as etcd_data was interrupted; formatting it again")
	m.etcd(t, "put", "greeting", "hello")
	m.isWell(t)
}

// testSomebodysDisk is not one with a file system: without udev the links of
// containers by label stay, and the boot would mount it.
func testSomebodysDisk(t *testing.T, m dataMachine) {
	m.changed(t, `mkswap --label precious "$disk"`)
	ended(t, m.name, "failed", "is not blank, and has no file system with the label etcd_data; nothing on it is changed")
	assert.Contains(t, status(t, m.name)["reason"], "`mkfs.ext4 -L etcd_data /dev/vdb`")
	assert.Contains(t, on(t, m.name, "blkid", "--probe", "/dev/vdb"), `LABEL="precious"`)
}
