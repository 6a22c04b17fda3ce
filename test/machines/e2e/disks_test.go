//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// dataMachine is a member of etcd by itself, with a data volume.
type dataMachine struct {
	*engine.Stack
	name string
}

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

// withData is the program of the machine, with further inputs.
func withData(t *testing.T, inputs ...string) string {
	t.Helper()
	a, key, kind := sandboxAbout(t), engine.SSHKey, "qemu"
	if file, err := os.ReadFile(a.of("sshKey") + ".pub"); err == nil {
		key = strings.TrimSpace(string(file))
	}
	if a.of("domainType") != "" {
		kind = a.of("domainType")
	}
	return engine.Authority + fmt.Sprintf(`  etcd-23:
    type: quorum:EtcdServer
    properties:
      sshAdminPublicKey: %s
      libvirt:
        memory: 1024
        vcpus: 1
        domainType: %s
        volume: {pool: quorum, baseVolumeName: %s}
        dataVolume: {pool: quorum, size: 2147483648}
        cloudInitVolumePool: quorum
        networks: [{networkName: quorum, ip: 10.77.0.23, prefixLength: 24}]
      cluster: {initialMembers: [{name: etcd-23, ip: 10.77.0.23}]}
      ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
      %s
`, key, kind, a.of("baseVolume"), strings.Join(inputs, "\n      "))
}

// etcd asks the member on its machine.
func (m dataMachine) etcd(t *testing.T, args ...string) (out string) {
	t.Helper()
	command := []string{"etcdctl", "--cacert=/etc/etcd/tls/ca.crt", "--cert=/etc/etcd/tls/server.crt", "--key=/etc/etcd/tls/server.key"}
	wait(t, "etcd on "+m.name, func() (err error) {
		out, err = hardware.do("exec", m.name, append(append(command, "--endpoints=https://127.0.0.1:2379"), args...)...)
		return err
	})
	return strings.TrimSpace(out)
}

// isWell has the data be there, on its volume and etcd's.
func (m dataMachine) isWell(t *testing.T) {
	t.Helper()
	assert.Equal(t, "hello", m.etcd(t, "get", "greeting", "--print-value-only"))
	assert.Equal(t, "active", on(t, m.name, "systemctl", "is-active", "etcd.service"))
	assert.Equal(t, "etcd_data", strings.TrimSpace(on(t, m.name, "findmnt", "--noheadings", "--output=LABEL", "/var/lib/etcd")))
	assert.Empty(t, on(t, m.name, "find", "/var/lib/etcd", "-name", "lost+found", "-prune", "-o", "!", "-user", "etcd", "-print"))
}

// changed runs a script on the machine while the volume is not mounted, and boots it then. $disk is the volume's device.
func (m dataMachine) changed(t *testing.T, script string, args ...string) {
	t.Helper()
	const unmounted = `disk=$(blkid -o device -t LABEL=etcd_data); systemctl stop etcd; systemctl stop var-lib-etcd.mount; `
	on(t, m.name, append([]string{"sh", "-ec", unmounted + script + "\nsync"}, args...)...)
	m.boot(t)
}

// boot starts the machine again after its power failed, and waits for quorum-apply.
func (m dataMachine) boot(t *testing.T) {
	t.Helper()
	before := status(t, m.name)["time"]
	machine(t, "off", m.name)
	machine(t, "reboot", m.name)
	wait(t, "quorum-apply after the boot of "+m.name, func() error {
		out, err := hardware.do("exec", m.name, "sh", "-c", "quorum-apply --status || true")
		if err == nil && (strings.Contains(out, "time: "+before) || !strings.Contains(out, "time: ")) {
			err = fmt.Errorf("quorum-apply says %s", out)
		}
		return err
	})
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
	assert.Contains(t, on(t, m.name, "journalctl", "--unit=quorum-apply", "--boot", "--output=cat"), "the making of the file system etcd_data was cut; making it again")
	m.etcd(t, "put", "greeting", "hello")
	m.isWell(t)
}

// testSomebodysDisk is not one with a file system: without udev the links of
// containers by label stay, and the boot would mount it.
func testSomebodysDisk(t *testing.T, m dataMachine) {
	m.changed(t, `mkswap --label precious "$disk"`)
	ended(t, m.name, "failed", "holds something, and not a file system with the label etcd_data; it is left as it is")
	assert.Contains(t, status(t, m.name)["reason"], "`mkfs.ext4 -L etcd_data /dev/vdb`")
	assert.Contains(t, on(t, m.name, "blkid", "--probe", "/dev/vdb"), `LABEL="precious"`)
}
