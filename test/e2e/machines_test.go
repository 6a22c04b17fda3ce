//go:build e2e

package e2e

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// testMachines looks at what the machines themselves say of their set-up.
func testMachines(t *testing.T, _ cluster) {
	for _, machine := range members {
		wait(t, "cloud-init on "+machine, func() error {
			out, err := sandbox("machine", "exec", machine, "cloud-init", "status")
			if err == nil && !strings.Contains(out, "status: done") {
				err = errors.New(out)
			}
			return err
		})
		assert.Contains(t, on(t, machine, "cloud-init", "schema", "--system"), "Valid schema", machine)
		units := []string{"etcd.service", "quorum-apply.service"}
		if machine == "etcd-1" { // which bootstraps
			units = append(units, "etcd-auth.service")
		}
		assert.Empty(t, on(t, machine, append([]string{"sh", "-c", `systemd-analyze verify "$@" 2>&1`, "sh"}, units...)...), machine)
		keepsSecrets(t, machine, "PRIVATE KEY")
		assert.Contains(t, on(t, machine, "quorum-apply", "--status"), "outcome: done", machine)
	}
}

// keepsSecrets checks that what is secret is on the machine, for root only.
func keepsSecrets(t *testing.T, machine, secret string, paths ...string) {
	t.Helper()
	const script = `grep -rlsF -D skip -e "$0" /boot /etc /home /media /mnt /opt /root /run /srv /tmp /var || true`
	known := strings.Fields(on(t, machine, "sh", "-c", script, secret))
	if len(paths) == 0 {
		paths = []string{"/etc/etcd/tls/server.key"}
	}
	for _, path := range append(paths, "/var/lib/quorum/drive/state.json") {
		assert.Contains(t, known, path, machine)
	}
	assert.True(t, slices.ContainsFunc(known, func(path string) bool { return strings.HasSuffix(path, "/user-data") }), "%s: %v", machine, known)
	assert.Empty(t, on(t, machine, "setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "sh", "-c", script, secret),
		"what nobody may read on %s", machine)
}

// testSettings has a setting reach the machines as they run.
func testSettings(t *testing.T, c cluster) {
	before := map[string]string{}
	for _, machine := range members {
		before[machine] = etcdProcess(t, machine)
		assert.NotContains(t, on(t, machine, "cat", "/etc/etcd/conf.yml"), "1073741824", machine)
	}
	c.Program(quickstart(t, "      etcd: {spaceQuota: 1073741824}\n"))
	c.Up()
	for _, machine := range members {
		wait(t, "the change on "+machine, func() error {
			out, err := sandbox("machine", "exec", machine, "grep", "-x", "quota-backend-bytes: 1073741824", "/etc/etcd/conf.yml")
			if err == nil {
				out, err = sandbox("machine", "exec", machine, "quorum-apply", "--status")
			}
			if err == nil && (!strings.Contains(out, "outcome: done") || etcdProcess(t, machine) == before[machine]) {
				err = errors.New("etcd has not restarted, or not all is done: " + out)
			}
			return err
		})
	}
	c.waitHealthy(t)
	c.hasData(t)
	assert.Subset(t, machines(t), members)
	assert.True(t, c.Up().Unchanged())
}

// testReboot reboots one machine after the other.
func testReboot(t *testing.T, c cluster) {
	must(t, "machine", "reboot", "etcd-2")
	c.waitHealthy(t)
	c.hasData(t)
	local := c.root[:len(c.root):len(c.root)]
	wait(t, "data on etcd-2 itself", func() error {
		out, err := append(local, "--endpoints=10.77.0.12:2379").try("get", "greeting", "--print-value-only", "--consistency=s")
		if err == nil && out != "hello" {
			err = errors.New("greeting is " + out)
		}
		return err
	})
	assert.Equal(t, "active", on(t, "etcd-2", "systemctl", "is-active", "etcd.service"))
}

func etcdProcess(t *testing.T, machine string) string {
	t.Helper()
	return on(t, machine, "systemctl", "show", "--value", "--property=MainPID", "etcd.service")
}
