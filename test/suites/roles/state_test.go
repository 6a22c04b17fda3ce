package roles

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestStateHasNoPlacesOfOurSource has the engine not keep for each resource where in this repository it is registered.
func TestStateHasNoPlacesOfOurSource(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t)})
	s.Up()
	state := s.Export()
	assert.Contains(t, state, "libvirt:index/domain:Domain")
	assert.NotRegexp(t, `/provider/[a-z_/]+\.go#`, state)
}
