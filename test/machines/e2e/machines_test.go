//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testMachines looks at what the machines themselves say of their set-up.
func testMachines(t *testing.T, _ cluster) {
	for _, machine := range members {
		done(t, machine)
		assert.Regexp(t, "Valid (schema|cloud-config)", on(t, machine, "cloud-init", "schema", "--system"), machine) // as its version says it
		units := []string{"etcd.service", "quorum-apply.service"}
		if machine == "etcd-1" { // which bootstraps
			units = append(units, "etcd-auth.service")
		}
		assert.Empty(t, on(t, machine, append([]string{"sh", "-c", `systemd-analyze verify "$@" 2>&1`, "sh"}, units...)...), machine)
		keepsSecrets(t, machine, "PRIVATE KEY")
		assert.Equal(t, "done", status(t, machine)["outcome"], machine)
	}
}

// keepsSecrets checks that what is secret is on the machine, for root only.
func keepsSecrets(t *testing.T, machine, secret string, paths ...string) {
	t.Helper()
	// Where the user data is, the state is compressed.
	const script = `grep -rlsF -D skip -e "$0" -e "path: /var/lib/quorum/drive/state.json" /boot /etc /home /media /mnt /opt /root /run /srv /tmp /var || true`
	known := strings.Fields(on(t, machine, "sh", "-c", script, secret))
	if len(paths) == 0 {
		paths = []string{"/etc/etcd/tls/server.key"}
	}
	for _, path := range paths {
		assert.Contains(t, known, path, machine)
	}
	assert.True(t, slices.ContainsFunc(known, func(path string) bool { return strings.HasSuffix(path, "/user-data") }), "%s: %v", machine, known)
	assert.Empty(t, on(t, machine, "setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "sh", "-c", script, secret),
		"what nobody may read on %s", machine)
}

// testSettings has a setting reach the machines as they run.
func testSettings(t *testing.T, c cluster) {
	processes, generations := map[string]string{}, map[string]string{}
	for _, machine := range members {
		processes[machine], generations[machine] = mainProcess(t, machine, "etcd"), status(t, machine)["generation"]
		assert.NotContains(t, on(t, machine, "cat", "/etc/etcd/conf.yml"), "1073741824", machine)
	}
	c.Program(servers(t, "      etcd: {spaceQuota: 1073741824}\n"))
	c.Up()
	for _, machine := range members {
		applied(t, machine, generations[machine])
		assert.Contains(t, on(t, machine, "cat", "/etc/etcd/conf.yml"), "quota-backend-bytes: 1073741824", machine)
		assert.NotEqual(t, processes[machine], mainProcess(t, machine, "etcd"), machine)
	}
	c.waitHealthy(t)
	c.hasData(t)
	assert.Subset(t, machines(t), members)
	assert.Empty(t, c.Up().Ops(""))
}

// applied waits until quorum-apply is done with a later generation than that.
func applied(t *testing.T, machine, generation string) {
	t.Helper()
	wait(t, "the change on "+machine, func() error {
		if now := status(t, machine); now["generation"] == generation || now["outcome"] != "done" {
			return fmt.Errorf("quorum-apply says %v", now)
		}
		return nil
	})
}

// done waits for the end of the first boot.
func done(t *testing.T, machine string) {
	t.Helper()
	wait(t, "the end of cloud-init on "+machine, func() error {
		_, err := hardware.do("exec", machine, "sh", "-c", "cloud-init status | grep -E 'status: (done|error)'")
		return err
	})
	out, _ := hardware.do("exec", machine, "cloud-init", "status", "--long")
	require.Contains(t, out, "status: done", "quorum-apply says %v", status(t, machine))
}

// status is what quorum-apply says of its last run.
func status(t *testing.T, machine string) map[string]string {
	t.Helper()
	said := map[string]string{}
	for line := range strings.Lines(on(t, machine, "sh", "-c", "quorum-apply --status || true")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		said[key] = value
	}
	return said
}

// testReboot reboots one machine after the other.
func testReboot(t *testing.T, c cluster) {
	machine(t, "reboot", "etcd-2")
	c.waitHealthy(t)
	c.hasData(t)
	wait(t, "data on etcd-2 itself", func() error {
		out, err := c.second.try("get", "greeting", "--print-value-only", "--consistency=s")
		if err == nil && out != "hello" {
			err = errors.New("greeting is " + out)
		}
		return err
	})
	assert.Equal(t, "active", on(t, "etcd-2", "systemctl", "is-active", "etcd.service"))
}

func mainProcess(t *testing.T, machine, service string) string {
	t.Helper()
	return on(t, machine, "systemctl", "show", "--value", "--property=MainPID", service+".service")
}
