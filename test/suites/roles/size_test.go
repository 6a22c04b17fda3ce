package roles

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const (
	fourGiB  = "libvirt: {dataVolume: {pool: default, size: 4294967296}}"
	eightGiB = "libvirt: {dataVolume: {pool: default, size: 8589934592}}"

	tooSmall = "size: must be 8589934592 (8 GiB) or more, not 4294967296 (4 GiB): a volume is not made smaller"
)

// sizeOf is that of the data volume as its host has it.
func sizeOf(s *engine.Stack) any {
	for _, o := range s.World.Objects() {
		if o.Name == "default/one-data.qcow2" {
			return o.Props["size"]
		}
	}
	return nil
}

// TestGrowthThatFailedIsTakenBack has the volume not grow, and the program take that back: the volume is as it
// was, whatever was intended.
func TestGrowthThatFailedIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, r := range []role{etcdServer, postgresServer} {
		t.Run(r.kind, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Program: r.program(t, fourGiB)})
			s.Up()
			s.World.Fail("update", "Volume", "one-data.qcow2", "libvirt: no room")
			s.Program(r.program(t, eightGiB))
			assert.Contains(t, s.UpFails().Diagnostics, "libvirt: no room")
			s.World.Heal("update", "Volume", "one-data.qcow2")
			s.World.Forget()
			s.Program(r.program(t, fourGiB))
			assert.NotContains(t, s.Preview().Diagnostics, "deletes the data")
			s.Up()
			assert.Empty(t, s.World.Log("Volume"))
			assert.True(t, s.Up().Unchanged())
		})
	}
}

// TestSmallerVolume has a volume not become smaller, whatever may be lost, unless it is another one.
func TestSmallerVolume(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t, eightGiB)})
	s.Up()
	s.World.Forget()
	for _, more := range []string{"", "allowDataLoss: true"} {
		s.Program(etcdServer.program(t, fourGiB, more))
		assert.Contains(t, s.PreviewFails().Diagnostics, tooSmall)
		assert.Contains(t, s.UpFails().Diagnostics, tooSmall)
	}
	assert.Empty(t, s.World.Log(""))
	s.Program(etcdServer.program(t, "libvirt: {dataVolume: {pool: default, size: 6442450944}}"))
	assert.Contains(t, s.PreviewFails().Diagnostics, "must be 8589934592 (8 GiB) or more, not 6442450944 (6 GiB)", "it never had 4 GiB")
	s.Program(etcdServer.program(t, eightGiB))
	s.Up()
	assert.True(t, s.Up().Unchanged())
	s.Program(etcdServer.program(t, "libvirt: {dataVolume: {pool: other, size: 4294967296}}"))
	assert.Contains(t, s.PreviewFails().Diagnostics, "this change deletes the data of one (the data volume one-data.qcow2 in the pool default)")
	s.Program(etcdServer.program(t, "libvirt: {dataVolume: {pool: other, size: 4294967296}}", "allowDataLoss: true"))
	s.Up()
	assert.Contains(t, s.World.Log("Volume"), "create end Volume one-data.qcow2")
}

// TestVolumeEnlargedByHand has a volume have the size that somebody gave it, once a refresh has seen that.
func TestVolumeEnlargedByHand(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t, fourGiB)})
	s.Up()
	s.World.Forget()
	for _, o := range s.World.Objects() {
		if o.Name == "default/one-data.qcow2" {
			o.Props["size"] = 8 << 30
			require.NoError(t, s.World.Put(o))
		}
	}
	s.Program(etcdServer.program(t, "libvirt: {dataVolume: {pool: default, size: 6442450944}}"))
	assert.Contains(t, s.UpFails().Diagnostics, "has 8589934592 bytes already, and is not made smaller: set its size to as many")
	s.Program(etcdServer.program(t, fourGiB))
	assert.Contains(t, s.PreviewFails("--refresh").Diagnostics, tooSmall)
	assert.Contains(t, s.UpFails("--refresh").Diagnostics, tooSmall)
	s.World.Forget()
	s.Program(etcdServer.program(t, eightGiB))
	s.Up("--refresh")
	assert.Empty(t, s.World.Log("Volume"))
	assert.EqualValues(t, 8<<30, sizeOf(s))
	assert.True(t, s.Up().Unchanged())
}

// TestVolumeGrowsWithAnUpgrade has the state have the hash of an earlier release, by which it is not known what
// differs: the message says how the volume grows all the same.
func TestVolumeGrowsWithAnUpgrade(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t, fourGiB)})
	s.Up()
	earlier := regexp.MustCompile(`"[0-9a-f]{16} [0-9]+ ([0-9a-f]{16})"`).ReplaceAllString(s.Export(), `"$1"`)
	require.NotEqual(t, earlier, s.Export())
	file := filepath.Join(t.TempDir(), "state.json")
	require.NoError(t, os.WriteFile(file, []byte(earlier), 0o600))
	s.Import(file)
	s.World.Forget()
	s.Program(etcdServer.program(t, eightGiB))
	assert.Contains(t, s.PreviewFails().Diagnostics, "If only the volume's size differs: run `pulumi up` with this release and the former size first, then grow it")
	s.Program(etcdServer.program(t, fourGiB))
	s.Up()
	assert.Empty(t, s.World.Log(""))
	s.Program(etcdServer.program(t, eightGiB))
	s.Up()
	assert.Equal(t, []string{"update end Volume one-data.qcow2"}, s.World.Log("Volume"))
}

// TestSizeOfAnother has the size come from a resource that is made in the same update: a preview does not know it, and
// does not take the volume for another one.
func TestSizeOfAnother(t *testing.T) {
	t.Parallel()
	of := func(other string) string {
		return etcdServer.programWith(t, "{other: {type: libvirt:Volume, properties: {name: o.qcow2, pool: images"+other+"}}}", "{}", "libvirt: {dataVolume: {pool: default, size: \"${other.size}\"}}")
	}
	s := engine.New(t, engine.Options{Program: etcdServer.program(t, fourGiB)})
	s.Up()
	s.World.Forget()
	s.Program(of(""))
	preview := s.Preview()
	assert.Contains(t, preview.Ops("Volume"), "update one-data-volume")
	assert.NotContains(t, preview.Ops("Domain"), "replace one-domain")
	assert.Contains(t, s.UpFails().Diagnostics, "size: must be 4294967296 (4 GiB) or more, not 3221225472 (3 GiB)")
	s.Program(of(", size: 8589934592"))
	s.Up()
	assert.EqualValues(t, 8<<30, sizeOf(s))
	assert.True(t, s.Up().Unchanged())
}
