//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// hypervisor boots the instances of a made-up cloud as machines of the sandbox.
type hypervisor struct {
	t     *testing.T
	cloud *openstack.Cloud
	seeds string
	runs  map[string]string // ids by name
	up    func(name, seed, mac string) error
	down  func(name string) error
}

// follow starts and stops machines until the test ends.
func (h *hypervisor) follow() {
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-time.After(time.Second):
				h.look()
			}
		}
	})
	h.t.Cleanup(func() { close(end); done.Wait() })
}

func (h *hypervisor) look() {
	instances, err := h.cloud.Machines()
	assert.NoError(h.t, err)
	wanted := map[string]string{}
	for _, instance := range instances {
		wanted[instance.Name] = instance.ID
	}
	for name, id := range h.runs {
		if wanted[name] != id {
			assert.NoError(h.t, h.down(name))
			delete(h.runs, name)
		}
	}
	for name, id := range wanted {
		if h.runs[name] == "" {
			seed := filepath.Join(h.seeds, id)
			mac, err := h.cloud.Drive(id, seed)
			assert.NoError(h.t, err)
			assert.NoError(h.t, h.up(name, seed, mac))
			h.runs[name] = id
		}
	}
}

// container has cloud-init find the config drive as a directory.
func (h *hypervisor) container(name, seed, mac string) error {
	_, err := sandbox("machine", "up", name, sandboxAbout(h.t).of(string(baked)), seed, mac, "--disk", "etcd_data")
	return err
}

// instance is what Nova makes of one. The kernel is told the data source, which
// images of the sandbox do not look for.
const instance = `
<domain type='%[2]s'>
  <name>%[1]s</name> <memory unit='MiB'>1024</memory> <vcpu>1</vcpu>
  <os>
    <type arch='x86_64' machine='pc'>hvm</type>
    <kernel>%[3]s/vmlinuz</kernel> <initrd>%[3]s/initrd</initrd>
    <cmdline>root=/dev/vda1 rw rootfstype=ext4 console=ttyS0,115200n8 clearcpuid=cx16 mitigations=off no_timer_check ci.datasource=ConfigDrive</cmdline>
  </os>
  <features><acpi/></features>
  <devices>
    <disk type='volume' device='disk'><driver name='qemu' type='qcow2'/><source pool='%[4]s' volume='%[1]s.qcow2'/><target dev='vda' bus='virtio'/></disk>
    <disk type='volume' device='disk'><driver name='qemu' type='raw'/><source pool='%[4]s' volume='%[1]s-data'/><target dev='vdb' bus='virtio'/></disk>
    <disk type='file' device='cdrom'><source file='%[5]s'/><target dev='hda' bus='ide'/><readonly/></disk>
    <interface type='network'><mac address='%[6]s'/><source network='quorum'/><model type='virtio'/></interface>
    <serial type='pty'/>
  </devices>
</domain>
`

// virtual makes a virtual machine with a drive, a fresh root volume, and the
// data volume that it had.
func (h *hypervisor) virtual(name, seed, mac string) error {
	about := sandboxAbout(h.t)
	definition := fmt.Sprintf(instance, name, about.of("domainType"), filepath.Dir(about.of(string(baked))), about.of("pool"), seed+".iso", mac)
	if err := os.WriteFile(seed+".xml", []byte(definition), 0o600); err != nil {
		return err
	}
	const script = `set -eu
name=$0 seed=$1 pool=$2 base=$3
genisoimage -quiet -joliet -rock -volid config-2 -output "$seed.iso" "$seed"
virsh vol-delete --pool "$pool" "$name.qcow2" 2>/dev/null || true
virsh vol-create-as "$pool" "$name.qcow2" 4G --format qcow2 --backing-vol "$base" --backing-vol-format qcow2
virsh vol-info --pool "$pool" "$name-data" >/dev/null 2>&1 || virsh vol-create-as "$pool" "$name-data" 1G --format raw
virsh create "$seed.xml"`
	_, err := sandbox("shell", "sh", "-c", script, name, seed, about.of("pool"), about.of("baseVolume"))
	return err
}

// reboot is an orderly one.
func (*hypervisor) reboot(t *testing.T, name string) {
	t.Helper()
	if os.Getenv("QUORUM_MACHINES") != "virtual" {
		machine(t, "reboot", name)
		return
	}
	boot := on(t, name, "cat", "/proc/sys/kernel/random/boot_id")
	must(t, "shell", "virsh", "reboot", name)
	wait(t, "the reboot of "+name, func() error {
		now, err := hardware.do("exec", name, "cat", "/proc/sys/kernel/random/boot_id")
		if err == nil && now == boot {
			err = errors.New("it is as it was")
		}
		return err
	})
}

// TestOpenStack has instances of a made-up cloud boot from their config drives,
// found a cluster, keep their secrets, come back after a reboot, and change.
func TestOpenStack(t *testing.T) {
	t.Parallel()
	names := []string{"instance-1", "instance-2", "instance-3"}
	cloud := openstack.On(t, listenInside(t, sandboxAbout(t).of("gateway"), "0"))
	text := engine.Example(t, filepath.Join("examples", "openstack", "Pulumi.yaml"))
	text = strings.NewReplacer(
		"etcd: {spaceQuota", "installDependencies: false\n      etcd: {spaceQuota",
		"name: etcd-", "name: instance-", "subnet}.1", "subnet}.18", // no other test's
	).Replace(text)
	options := stackOptions(t, baked, text, names, map[string]string{"sshPublicKey": engine.SSHKey})
	options.Config = map[string]string{
		"imageId": openstack.Image, "flavorId": openstack.Flavor, "networkId": openstack.Network, "subnetId": openstack.Subnet,
		"subnet": "10.77.0", "adminNetwork": "10.77.0.0/24", "sshPublicKey": options.Config["sshPublicKey"],
	}
	options.Plugins, options.Inside = []engine.Plugin{engine.Quorum, engine.RealOpenStack, engine.RealTLS}, []string{program, "shell"}
	options.Env = cloud.Env()
	s := engine.New(t, options)
	h := &hypervisor{t: t, cloud: cloud, seeds: t.TempDir(), runs: map[string]string{}}
	h.up, h.down = h.container, func(name string) error { _, err := sandbox("machine", "down", name, "--keep-disk"); return err }
	if os.Getenv("QUORUM_MACHINES") == "virtual" {
		h.up, h.down = h.virtual, func(name string) error { _, err := sandbox("shell", "virsh", "destroy", name); return err }
	}
	h.follow()
	s.Up() // which ends when all three are healthy
	for _, name := range names {
		done(t, name)
		assert.Contains(t, on(t, name, "cat", "/run/cloud-init/result.json"), "DataSourceConfigDrive", name)
		closed(t, name)
		assert.Equal(t, "done", status(t, name)["outcome"], name)
	}

	h.reboot(t, "instance-2")
	done(t, "instance-2")
	wait(t, "quorum-apply on instance-2", func() error {
		_, err := hardware.do("exec", "instance-2", "sh", "-c", "systemctl is-active etcd && ! systemctl is-failed quorum-apply")
		return err
	})
	closed(t, "instance-2")
	assert.Equal(t, "done", status(t, "instance-2")["outcome"], "the state is what cloud-init wrote")

	before := status(t, "instance-1")["generation"]
	text = strings.Replace(text, "spaceQuota: 2147483648", "spaceQuota: 4294967296", 1)
	s.Program(text)
	s.Up()
	assert.NotEqual(t, before, status(t, "instance-1")["generation"])
	assert.Contains(t, on(t, "instance-3", "cat", "/etc/etcd/conf.yml"), "quota-backend-bytes: 4294967296")
	require.Empty(t, s.Up().Ops(""))

	s.Program(strings.Replace(text, "installDependencies: false", fmt.Sprintf("software: {asOf: \"2025-01-05\"}\n      aptProxy: %q", must(t, "apt-proxy")), 1))
	s.Up()
	for _, name := range names { // each has upgraded the image's packages, and started again, before its service did
		done(t, name)
		assert.Equal(t, "done", status(t, name)["outcome"], name)
		on(t, name, "test", "-e", "/var/lib/quorum/software-2025-01-05T00:00:00Z")
		on(t, name, "test", "!", "-e", "/usr/sbin/policy-rc.d")
		assert.Equal(t, "enabled", strings.TrimSpace(on(t, name, "systemctl", "is-enabled", "quorum-software")), name)
	}
	require.Empty(t, s.Up().Ops(""))
	s.Destroy()
}

// closed wants the metadata service to be there for root alone, and again when
// systemd-networkd has restarted.
func closed(t *testing.T, name string) {
	t.Helper()
	on(t, name, "systemctl", "restart", "systemd-networkd")
	for _, address := range []string{"169.254.169.254", "fe80::a9fe:a9fe"} {
		out, err := hardware.do("exec", name, "sh", "-c", "ip route get "+address+" uid 1000 2>&1 || true")
		require.NoError(t, err)
		assert.Regexp(t, "Permission denied|prohibit", out, name)
	}
	assert.NotContains(t, on(t, name, "sh", "-c", "ip route get 169.254.169.254 uid 0 2>&1 || true"), "denied", name)
}
