//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// dataMachine is a member of etcd by itself, with a data volume.
type dataMachine struct {
	*engine.Stack
	name string
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
