//go:build e2e

package e2e

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// ofNames is what the program of the platform has for names of its machines, which nobody needs here.
var ofNames = regexp.MustCompile(`(?m)^  dns:\n(    .*\n)+\n?|^      # The zone .*\n|^      (dns|haproxy):\n(        .*\n)+`)

// newMajors is the platform with PostgreSQL 15, on machines that have 17 too.
func newMajors(t *testing.T) platform {
	t.Helper()
	p := platform{edits: map[string][]string{}}
	p.etcd = platformStack(t, "etcd", nil, members)
	p.etcd.Up()
	p.postgres = platformStack(t, "postgres", p.etcd, slices.Concat([]string{loadBalancer, secondBalancer}, nodes))
	p.postgres.Setenv("FAKE_ROOTFS", besideBookworm(t))
	p.major(t, "15", "")
	p.postgres.Up()
	p.database = &database{ca: secretFile(t, "postgres-ca.crt", p.postgres.Output("caCert")), password: p.postgres.Output("superuserPassword")}
	return p
}

// besideBookworm is a root of machines that have Debian 12's PostgreSQL beside that of their own release.
func besideBookworm(t *testing.T) string {
	t.Helper()
	return must(t, "beside", "bookworm", "postgresql-15", "postgresql-client-15", "libicu72", "libldap-2.5-0")
}

// toMajor are inputs of an upgrade: what more of them it has.
func toMajor(more string) string {
	return "      upgrade: {from: \"15\", withoutBackup: true" + more + "}\n"
}

// major has the program ask for a version of PostgreSQL, and an upgrade, if there is one.
func (p platform) major(t *testing.T, version, upgrade string) {
	t.Helper()
	text := stackProgram(t, "postgres", "      postgres:\n", upgrade+"      postgres:\n        version: \""+version+"\"\n")
	require.Regexp(t, ofNames, text)
	p.postgres.Program(ofNames.ReplaceAllString(text, ""))
}

// TestMajorUpgrade brings a cluster from PostgreSQL 15 to 17 in place, while a client writes, and back; then again, while
// its machines and the update are killed; and ends it.
func TestMajorUpgrade(t *testing.T) {
	p := newMajors(t)
	testReplication(t, p)
	p.runs(t, "15")
	for _, step := range []step{
		{"data", testMajorData},
		{"check", testMajorCheck},
		{"run", testMajorRun},
		{"revert", testMajorRevert},
		{"killed", testMajorKilled},
		{"finish", testMajorFinish},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, p) }) {
			return
		}
	}
	p.postgres.Destroy()
	p.etcd.Destroy()
}

// testMajorCheck finds what is in the way, and then nothing. Nothing restarts.
func testMajorCheck(t *testing.T, p platform) {
	leader, _ := settled(t)
	processes := map[string]string{}
	for _, name := range nodes {
		processes[name] = mainProcess(t, name, "patroni")
	}
	p.database.must(t, "CREATE TABLE unfit (f regproc); CREATE EXTENSION adminpack")
	free := fill(t, 32+dataMiB(t)/2, slices.DeleteFunc(slices.Clone(nodes), func(name string) bool { return name == leader })...)
	p.major(t, "17", toMajor(", checkOnly: true"))
	p.database.whileWriting(t, func() {
		failed := p.postgres.UpFails()
		assert.Contains(t, failed.Diagnostics, "PostgreSQL 15 cannot be upgraded to 17 yet; it runs as before")
		assert.Contains(t, failed.Diagnostics, "database postgres: the column public.unfit.f")
		assert.Contains(t, failed.Diagnostics, "database postgres: the extension adminpack: PostgreSQL 17 has none of that name")
		assert.Contains(t, failed.Diagnostics, "no replica has room to keep the former data")
	})
	free()
	p.database.must(t, "DROP TABLE unfit; DROP EXTENSION adminpack")
	assert.Contains(t, p.postgres.Up().Diagnostics, "PostgreSQL 15 can be upgraded to 17")
	for _, name := range nodes {
		assert.Equal(t, processes[name], mainProcess(t, name, "patroni"), name)
		assert.Empty(t, on(t, name, "sh", "-c", "ls -d /var/lib/postgresql/data-* 2>/dev/null || true"), name)
	}
	now, _ := settled(t)
	assert.Equal(t, leader, now)
	assert.Empty(t, p.postgres.Up().Ops(""))
}

func testMajorRun(t *testing.T, p platform) {
	p.major(t, "17", toMajor(""))
	assert.Contains(t, p.postgres.Preview().Diagnostics, "writes wait for about half a minute")
	p.database.whileWriting(t, func() { t.Log(p.postgres.Up().Diagnostics) })
	p.runs(t, "17")
	leader, _ := settled(t)
	assert.NotEmpty(t, psql(t, leader, "SELECT 1 FROM pg_stats WHERE tablename = 'numbers' LIMIT 1"), "statistics")
	assert.Len(t, p.keepers(t), 1)
	assert.Empty(t, p.postgres.Up().Ops(""))
}

// testMajorRevert goes back: what was written since is not there, and all that was before is.
func testMajorRevert(t *testing.T, p platform) {
	keeper := p.keepers(t)[0]
	kept := on(t, keeper, "runuser", "-u", "postgres", "--", "sh", "-c", "/usr/lib/postgresql/15/bin/pg_controldata -D /var/lib/postgresql/data-15 | grep 'Database system identifier'")
	p.major(t, "17", toMajor(", revert: true"))
	assert.Contains(t, p.postgres.Preview().Diagnostics, "all that was written since is lost")
	gaps := while(t, map[string]func() error{"write": p.database.write}, func() { t.Log(p.postgres.Up().Diagnostics) })
	t.Logf("the longest time from one acknowledged write to the next: %s", gaps["write"])
	p.database.mutex.Lock()
	p.database.acknowledged = nil // the last ones are in the database, those of before are not
	p.database.mutex.Unlock()
	p.runs(t, "15")
	assert.Empty(t, p.keepers(t))
	assert.Contains(t, kept, psql(t, nodes[0], "SELECT system_identifier FROM pg_control_system()"))
	p.database.works(t)
}

// testMajorKilled cuts the power of the machine whose data are being upgraded, and kills the update. A replica is off from
// then on, until another one has the data.
func testMajorKilled(t *testing.T, p platform) {
	leader, standby := settled(t)
	p.major(t, "17", toMajor(""))
	p.database.whileWriting(t, func() {
		p.postgres.UpKilled(func(engine.Result) bool { return backups{}.runs(`pg_upgrade --link .*--jobs=\d+ $`) }) // not that of the check
		machine(t, "off", leader)
		machine(t, "off", standby)
		time.Sleep(5 * time.Second)
		machine(t, "reboot", leader)
		p.postgres.Unlock()
		back := time.AfterFunc(time.Minute, func() { _, _ = hardware.do("reboot", standby) })
		defer back.Stop()
		t.Log(p.postgres.Up().Diagnostics)
	})
	p.runs(t, "17")
	settled(t)
	assert.Len(t, p.keepers(t), 1)
	assert.Empty(t, p.postgres.Up().Ops(""))
}

// testMajorFinish deletes the former data, and takes the upgrade out of the program.
func testMajorFinish(t *testing.T, p platform) {
	p.major(t, "17", toMajor(", finish: true"))
	p.database.whileWriting(t, func() { p.postgres.Up() })
	assert.Empty(t, p.keepers(t))
	p.major(t, "17", toMajor(""))
	assert.Contains(t, p.postgres.PreviewFails().Diagnostics, "the data of PostgreSQL 15 are deleted")
	p.major(t, "17", "")
	p.database.whileWriting(t, func() { p.postgres.Up() })
	p.runs(t, "17")
	assert.Empty(t, p.postgres.Up().Ops(""))
}
