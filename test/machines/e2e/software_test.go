//go:build e2e

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// oneMember is a cluster of one, without authentication, on an interface of its
// host's, and with further inputs.
func oneMember(name, ip string, inputs ...string) string {
	return engine.Authority + fmt.Sprintf(`  %[1]s:
    type: quorum:EtcdServer
    properties:
      sshAdminPublicKey: %[3]s
      libvirt:
        memory: 1024
        volume: {pool: quorum, baseVolumeName: base.qcow2}
        cloudInitVolumePool: quorum
        macvtapInterfaces: [{interface: eth0, ip: %[2]s, prefixLength: 24}]
      cluster: {initialMembers: [{name: %[1]s, ip: %[2]s}]}
      ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
      %[4]s
`, name, ip, engine.SSHKey, strings.Join(inputs, "\n      "))
}

// TestStock has a machine of the distribution's image install all it needs
// through the proxy, and take up a release from a server of the site's own later.
func TestStock(t *testing.T) {
	t.Parallel()
	const name, ip = "etcd-21", "10.77.0.21"
	proxy := "aptProxy: " + must(t, "apt-proxy")
	clock := "chrony: {servers: [{url: 10.77.0.1}]}"
	s := newStack(t, stock, oneMember(name, ip, proxy, clock), []string{name}, nil)
	s.Up()
	done(t, name)
	assert.Contains(t, on(t, name, "ip", "-oneline", "address", "show", "dev", "macvtap0"), ip+"/24")
	for _, unit := range []string{"etcd.service", "prometheus-node-exporter.service"} {
		assert.Equal(t, "active", on(t, name, "systemctl", "is-active", unit))
	}
	assert.Equal(t, "/usr/bin/etcd", on(t, name, "readlink", "/proc/"+mainProcess(t, name, "etcd")+"/exe"))
	assert.Contains(t, on(t, name, "cat", "/etc/chrony/chrony.conf"), "server 10.77.0.1")
	assert.Contains(t, must(t, "shell", "curl", "--silent", "--noproxy", "*", "--max-time", "20", "http://"+ip+":9100/metrics"), "quorum_apply_success 1")

	with := func(url, sha256 string) {
		s.Program(oneMember(name, ip, proxy, clock, fmt.Sprintf("artifacts: {etcd: {url: %q, sha256: %q}}", url, sha256)))
		s.Up()
	}
	program := func() string { return on(t, name, "readlink", "/proc/"+mainProcess(t, name, "etcd")+"/exe") }
	generation := status(t, name)["generation"]
	url, sum := release(t, "etcd")
	with(url, strings.Repeat("0", 64))
	ended(t, name, "failed", "its sha256 is "+sum)
	assert.Equal(t, generation, status(t, name)["inForce"])
	assert.Equal(t, "/usr/bin/etcd", program())

	with(url, sum)
	ended(t, name, "done", "")
	assert.Equal(t, "/usr/local/bin/etcd", program())

	generation = status(t, name)["generation"]
	with(release(t, "false"))
	ended(t, name, "rolled back", "etcd.service: has exited 4 times")
	assert.Equal(t, generation, status(t, name)["inForce"])
	assert.Equal(t, "/usr/local/bin/etcd", program())
	assert.Contains(t, machine(t, "console", name), "quorum-apply: FAILED and rolled back: etcd.service")
	s.Destroy()
}

// TestMissingPackage has an image lack what it should have.
func TestMissingPackage(t *testing.T) {
	t.Parallel()
	const name, ip = "etcd-22", "10.77.0.22"
	s := newStack(t, stock, oneMember(name, ip, "installDependencies: false"), []string{name}, nil)
	s.Up()
	const why = "installDependencies is false and the image lacks"
	wait(t, "a word on the console", func() error {
		if console := machine(t, "console", name); !strings.Contains(console, "quorum-apply: FAILED: "+why) {
			return errors.New(tail(console, 10))
		}
		return nil
	})
	wait(t, "the end of cloud-init", func() error {
		if out, _ := hardware.do("exec", name, "cloud-init", "status"); !strings.Contains(out, "status: error") {
			return errors.New(out)
		}
		return nil
	})
	assert.Contains(t, status(t, name)["reason"], "/usr/bin/etcd (etcd-server)")
	assert.Equal(t, "0", on(t, name, "systemctl", "show", "--value", "--property=NRestarts", "quorum-apply.service"), "no crash loop")
	s.Destroy()
}

// ended waits for an outcome of quorum-apply other than its last one.
func ended(t *testing.T, machine, outcome, reason string) {
	t.Helper()
	wait(t, outcome+" on "+machine, func() error {
		if now := status(t, machine); now["outcome"] != outcome || !strings.Contains(now["reason"], reason) {
			return fmt.Errorf("quorum-apply says %v", now)
		}
		return nil
	})
}

// release serves an archive like those of etcd's releases, of programs in the
// baked image. Which one is called etcd can be another.
func release(t *testing.T, etcd string) (url, sum string) {
	t.Helper()
	rootfs, _, _ := strings.Cut(must(t, "image", "baked"), "\n")
	return archive(t, "etcd.tar.gz", filepath.Join(rootfs, "usr", "bin"),
		"--transform=s,^"+etcd+"$,etcd,", "--transform=s,^,etcd-release/,", etcd, "etcdctl")
}

// archive serves files of a directory as one.
func archive(t *testing.T, name, of string, what ...string) (url, sum string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, name)
	out, err := exec.Command("tar", append([]string{"--create", "--gzip", "--file=" + file, "--directory=" + of}, what...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	hash := sha256.Sum256(b)
	return must(t, "serve", dir) + "/" + name, hex.EncodeToString(hash[:])
}
