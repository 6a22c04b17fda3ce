package roles

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestDataVolumeThatCannotBeMade has the data volume of a server move to a pool where it cannot be made: the
// machine and the former volume are gone then. The engine deletes the machine in the next update again.
func TestDataVolumeThatCannotBeMade(t *testing.T) {
	t.Parallel()
	r, disk := etcdServer, "libvirt: {dataVolume: {pool: default, size: 4294967296}}"
	s := engine.New(t, engine.Options{Program: r.program(t, disk)})
	s.Up()
	s.World.Fail("create", "Volume", "one-data.qcow2", "storage pool 'other' not found")
	s.Program(r.program(t, disk, "allowDataLoss: true", "libvirt: {dataVolume: {pool: other}}"))
	assert.Contains(t, s.UpFails().Diagnostics, "storage pool 'other' not found")
	s.World.Heal("create", "Volume", "one-data.qcow2")
	s.Up()
	assert.Contains(t, s.World.Log("Domain"), "delete gone Domain one")
	assert.Equal(t, []string{"one"}, s.World.Names("Domain"))
	assert.True(t, s.Up().Unchanged())
}
