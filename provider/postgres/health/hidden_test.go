package health

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// TestHides hides nothing of a gate outside of a cluster, nor what a refresh has seen.
func TestHides(t *testing.T) {
	t.Parallel()
	const inCluster, alone = "urn:pulumi:dev::p::quorum:index:EtcdCluster$quorum:index:Gate::main-healthy", "urn:pulumi:dev::p::quorum:index:Gate::healthy"
	assert.True(t, Health{}.Hides(inCluster, "triggers.one"))
	assert.False(t, Health{}.Hides(inCluster, "triggers."+wait.SeenTrigger))
	assert.False(t, Health{}.Hides(alone, "triggers.one"))
}
