package roles

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestPreviewOfParameters has parameters for which PostgreSQL must be restarted be named also where their
// values are secret or not known yet, and a change of spaces alone be told.
func TestPreviewOfParameters(t *testing.T) {
	t.Parallel()
	r := postgresServer
	s := engine.New(t, engine.Options{Program: r.program(t, "postgres: {params: {log_line_prefix: '%m'}}")})
	s.Up()
	s.Program(r.program(t, "postgres: {params: {log_line_prefix: '%m ', max_connections: {'fn::secret': '432'}, max_wal_senders: '${later.size}'}}") +
		"    later: {type: \"libvirt:Volume\", properties: {name: later.qcow2, pool: images}}\n")
	preview := s.Preview()
	assert.Contains(t, preview.Diagnostics, `one: 3 settings change or may change
    postgres.params.log_line_prefix: %m -> "%m "
    postgres.params.max_connections: [secret] set
    postgres.params.max_wal_senders: not known yet
`)
	assert.Contains(t, preview.Diagnostics, "  PostgreSQL must be restarted for max_connections, max_wal_senders, after the update")
	assert.NotContains(t, preview.Stdout+preview.Stderr, "432")
}

// TestDataKeptIsTakenBack has an update fail that was allowed to lose the data, before it did: what is
// taken back is refused until it is allowed again, and then the data are kept.
func TestDataKeptIsTakenBack(t *testing.T) {
	t.Parallel()
	r, disk := etcdServer, "libvirt: {dataVolume: {pool: default, size: 4294967296}}"
	s := engine.New(t, engine.Options{Program: r.program(t, disk)})
	s.Up()
	s.World.Fail("delete", "Domain", "one", "libvirt: connection lost")
	s.Program(r.program(t, disk, "allowDataLoss: true", "libvirt: {dataVolume: {pool: other}}"))
	failed := s.UpFails().Diagnostics
	assert.Contains(t, failed, "data are deleted by this update: those of one (the data volume one-data.qcow2 in the pool default)", "they are not yet")
	s.World.Heal("delete", "Domain", "one")
	s.World.Forget()
	s.Program(r.program(t, disk))
	assert.Contains(t, s.PreviewFails().Diagnostics, "this change deletes the data of one (the data volume one-data.qcow2 in the pool other)")
	s.Program(r.program(t, disk, "allowDataLoss: true"))
	s.Up()
	assert.Empty(t, s.World.Log("Volume"), "it is as it was")
	s.Program(r.program(t, disk))
	s.Up()
	assert.True(t, s.Up().Unchanged())
}

// TestHashesTellNoPassword has the hashes that say whether a machine is another one be secret where a
// password is part of them: it may be short, and the rest is known.
func TestHashesTellNoPassword(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t)})
	s.Up()
	assert.NotContains(t, fmt.Sprint(s.Resource("DataGuard", "one-data").Inputs["data"]), "ciphertext")
	s.Program(etcdServer.program(t, "adminUserPassword: "+hush, "allowDataLoss: true"))
	s.Up()
	assert.Contains(t, fmt.Sprint(s.Resource("DataGuard", "one-data").Inputs["data"]), "ciphertext")
}

// TestPreviewOfAMachineThatIsGone has a server outside of a cluster say that its machine is made again,
// and whether its data volume is.
func TestPreviewOfAMachineThatIsGone(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t, "libvirt: {dataVolume: {pool: default, size: 17179869184}}")})
	s.Up()
	s.World.Remove("Domain", "one")
	assert.Equal(t, "one: no setting changes\n  "+guest.Again+" (its data volume is kept)\n", s.Preview("--refresh").Diagnostics)
	s.World.Remove("Volume", "one-data.qcow2")
	const lost = "warning: data are lost by this update: those of one (its data volume), and no other machine is known to have them\n"
	assert.Equal(t, lost+"one: no setting changes\n  "+guest.Again+"\n  "+guest.DataAgain+"\n", s.Preview("--refresh").Diagnostics)
	assert.Equal(t, "one: no setting changed\n  "+guest.Again+"\n", s.Up("--refresh").Diagnostics)
	assert.True(t, s.Up().Unchanged())
}

// TestWhatDoesNotGrow has a larger volume be refused where it would be another one: by a provider that may be served
// by the published plugin, and where it is the machine's root volume.
func TestWhatDoesNotGrow(t *testing.T) {
	t.Parallel()
	const provider = "{a: {type: pulumi:providers:libvirt, properties: {uri: qemu+ssh://a/system}, options: {version: 0.5.4}}}"
	for name, test := range map[string]struct{ before, now, provider, options string }{
		"given": {"libvirt: {dataVolume: {pool: default, size: 4294967296}}", "libvirt: {dataVolume: {pool: default, size: 8589934592}}", provider, `{providers: ["${a}"]}`},
		"root":  {"libvirt: {volume: {size: 4294967296}}", "libvirt: {volume: {size: 8589934592}}", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := func(inputs ...string) string {
				if test.provider == "" {
					return etcdServer.program(t, inputs...)
				}
				return etcdServer.programWith(t, test.provider, test.options, inputs...)
			}
			s := engine.New(t, engine.Options{Program: program(test.before)})
			s.Up()
			s.Program(program(test.now))
			assert.Contains(t, s.PreviewFails().Diagnostics, "this change deletes the data of one")
			s.Program(program(test.now, "allowDataLoss: true"))
			assert.Contains(t, s.Up().Diagnostics, "data are deleted by this update")
			assert.True(t, s.Up().Unchanged())
		})
	}
}
