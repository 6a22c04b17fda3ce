package health

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Hides what changes in a cluster, for its ClusterChange tells it, but not what a refresh has seen.
func (Health) Hides(resource urn.URN, path string) bool {
	return run.InCluster(resource) && !wait.IsSeen(path)
}

// Hides what changes in a cluster, for its ClusterChange tells it, but not what a refresh has seen.
func (Restoration) Hides(resource urn.URN, path string) bool {
	return run.InCluster(resource) && !wait.IsSeen(path)
}
