package roles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestMove has a machine move to another hypervisor, and to another network.
func TestMove(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: etcdServer.program(t, "libvirt: {uri: qemu+ssh://a/system}")})
	s.Up()
	s.Program(etcdServer.program(t, "{libvirt: {uri: qemu+ssh://b/system, networks: [{networkName: other, ip: 10.77.0.11, prefixLength: 24}]}, allowDataLoss: true}"))
	s.Up()
	for _, o := range s.World.Objects() {
		if strings.Contains(o.Name, "one") {
			assert.Contains(t, o.Host, "b", o.Name)
		}
	}
	assert.Contains(t, fmt.Sprint(s.Resource("Domain", "one-domain").Inputs["networkInterfaces"]), "networkName:other")
	assert.True(t, s.Up().Unchanged())
}
