package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRestoreThatReachesNobody names the instances that keep the former one.
func TestRestoreThatReachesNobody(t *testing.T) {
	t.Parallel()
	of := func(content string, instances ...string) RestorationArgs {
		return RestorationArgs{Content: &content, Instances: instances}
	}
	was := of("1a2b", "main-postgres-1-instance", "main-postgres-2-instance")
	assert.Equal(t, "restore: no node has data, and instances that are there keep the former one. To hand them this one: "+
		"pulumi up --replace '**::main-postgres-1-instance' --replace '**::main-postgres-2-instance'", of("3c4d", was.Instances...).reachesNobody(was))
	assert.Empty(t, was.reachesNobody(was))
	assert.Empty(t, of("3c4d").reachesNobody(was), "none is on OpenStack")
	assert.Empty(t, was.reachesNobody(RestorationArgs{}), "an older release made it")
}
