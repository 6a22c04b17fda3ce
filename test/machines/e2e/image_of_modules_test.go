//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cloudOfModules has packages and binaries be where the modules leave them when they install them. As on their machines,
// the user is ubuntu, whom sudo obeys. What differs from those, but for releases:
//   - Patroni and psycopg2 are packages, not installed by pip.
//   - docker runs HAProxy, the package: the machines have no way to a registry of images.
//   - softdog is there after a reboot, too, and Patroni's user has its device: the modules see to that at the first boot
//     alone, where udev may take it away again.
const cloudOfModules = `system_info: {default_user: {name: ubuntu}}
bootcmd:
  - ln -sf /usr/bin/etcd /usr/bin/etcdctl /usr/local/bin/
  - ln -sf /usr/bin/prometheus-node-exporter /usr/local/bin/node_exporter
  - id node-exporter || useradd --system node-exporter
  - |
    echo 'KERNEL=="watchdog*", OWNER="postgres"' >/etc/udev/rules.d/60-patroni.rules
    udevadm control --reload
    modprobe softdog
  - |
    cat >/usr/local/bin/docker <<'END'
    #!/bin/sh
    exec systemd-run --unit=load-balancer --property=Restart=always haproxy -W -db -f /opt/haproxy/haproxy.cfg
    END
    chmod 0755 /usr/local/bin/docker
`

// imageOfModules makes the base volume modules.qcow2 of the baked one.
func imageOfModules(t *testing.T, a about) {
	t.Helper()
	dir := t.TempDir()
	raw, volume := filepath.Join(dir, "raw"), filepath.Join(a.of("state"), "pool", "modules.qcow2")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cloud.cfg"), []byte(cloudOfModules), 0o600))
	_, disk, _ := strings.Cut(must(t, "image", "baked"), "\n")
	for _, command := range [][]string{
		{"qemu-img", "convert", "-O", "raw", disk, raw},
		{"debugfs", "-w", "-R", "write " + filepath.Join(dir, "cloud.cfg") + " /etc/cloud/cloud.cfg.d/98_modules.cfg", raw + "?offset=1048576"},
		{"qemu-img", "convert", "-O", "qcow2", raw, volume},
		{program, "shell", "virsh", "pool-refresh", a.of("pool")},
	} {
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		require.NoError(t, err, "%v: %s", command, out)
	}
}
