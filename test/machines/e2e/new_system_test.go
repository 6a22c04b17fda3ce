//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// bookworm is a root of machines of Debian 12.
func bookworm(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(program, "image", "baked")
	cmd.Env, cmd.Stderr = append(os.Environ(), "QUORUM_DEBIAN=12"), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	rootfs, _, _ := strings.Cut(string(out), "\n")
	return rootfs
}

// from has the machines of a stack be of an image, from the next update on that makes them.
func from(t *testing.T, s *engine.Stack, image, rootfs string) {
	t.Helper()
	_, stderr, err := s.Run("config", "set", "baseVolume", image)
	require.NoError(t, err, stderr)
	s.Setenv("FAKE_ROOTFS", rootfs)
}

// TestNewSystem brings a platform from Debian 12 to Debian 13 by another image, role by role, while clients write. The data
// stay. An image that cannot read them stops at the first node, and the others go on.
func TestNewSystem(t *testing.T) {
	old := bookworm(t)
	p := newPlatformOn(t, func(s *engine.Stack) { from(t, s, "debian-12.qcow2", old) })
	for _, step := range []step{
		{"boot", testBoot},
		{"zone", testZone},
		{"replication", testReplication},
		{"texts", testTexts},
		{"etcd", testNewSystemOfEtcd},
		{"dns", testNewSystemOfDNS},
		{"wrong image", testImageWithoutMajor},
		{"postgres", testNewSystemOfPostgres},
		{"unchanged", testPlatformUnchanged},
		{"destroy", testDestroyed},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, p) }) {
			return
		}
	}
}

// is13 checks that machines run Debian 13.
func is13(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		assert.Contains(t, on(t, name, "cat", "/etc/os-release"), "VERSION_ID=\"13\"", name)
	}
}

func testNewSystemOfEtcd(t *testing.T, p platform) {
	assert.Contains(t, on(t, "etcd-1", "etcd", "--version"), "etcd Version: 3.4.")
	from(t, p.etcd, "debian-13.qcow2", sandboxAbout(t).of(string(baked)))
	p.whileWriting(t, func() { p.etcd.Up() })
	is13(t, members...)
	assert.Contains(t, on(t, "etcd-1", "etcd", "--version"), "etcd Version: 3.5.16")
	assert.Empty(t, p.etcd.Up().Ops(""))
}

func testNewSystemOfDNS(t *testing.T, p platform) {
	from(t, p.dns, "debian-13.qcow2", sandboxAbout(t).of(string(baked)))
	p.dns.Up()
	is13(t, "dns-1")
	answers(t, "nodes.postgres."+zone, nodeAddresses...)
}

// testTexts makes a database that sorts by the C library.
func testTexts(t *testing.T, p platform) {
	p.database.must(t, "CREATE DATABASE texts TEMPLATE template0 LOCALE 'en_US.UTF-8'")
}

// testImageWithoutMajor has an image with PostgreSQL 17 only.
func testImageWithoutMajor(t *testing.T, p platform) {
	settled(t)
	from(t, p.postgres, "debian-13.qcow2", sandboxAbout(t).of(string(baked)))
	p.whileWriting(t, func() {
		failed := p.postgres.UpFails()
		assert.Contains(t, failed.Diagnostics, "is of PostgreSQL 15, and installed is 17")
	})
	is := 0
	for _, name := range nodes {
		if strings.Contains(on(t, name, "cat", "/etc/os-release"), "VERSION_ID=\"13\"") {
			is++
		}
	}
	assert.Equal(t, 1, is, "no other machine went")
}

func testNewSystemOfPostgres(t *testing.T, p platform) {
	now, err := roles()
	require.NoError(t, err)
	require.Len(t, now["Leader"], 1)
	system := psql(t, now["Leader"][0].Member, "SELECT system_identifier FROM pg_control_system()")
	from(t, p.postgres, "debian-13-with-15.qcow2", besideBookworm(t))
	p.edit(t, "postgres", "      postgres:\n", "      postgres:\n        version: \"15\"\n")
	p.whileWriting(t, func() {
		failed := p.postgres.UpFails()
		assert.Contains(t, failed.Diagnostics, "sorts text in another way than")
		assert.Contains(t, failed.Diagnostics, "database texts (2.36, now 2.41)")
	})
	p.edit(t, "postgres", "      etcd: ${root}\n      patroni:\n", "      etcd: ${root}\n      reindexCollations: true\n      patroni:\n")
	p.whileWriting(t, func() { p.postgres.Up() })
	assert.Equal(t, "2.41", psql(t, nodes[0], "SELECT datcollversion FROM pg_database WHERE datname = 'texts'"))
	is13(t, append([]string{loadBalancer, secondBalancer}, nodes...)...)
	p.runs(t, "15")
	assert.Equal(t, system, psql(t, nodes[0], "SELECT system_identifier FROM pg_control_system()"))
	assert.Empty(t, p.postgres.Up().Ops(""))
}
