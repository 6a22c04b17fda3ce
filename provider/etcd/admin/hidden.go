package admin

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Hides what changes in a cluster, for its ClusterChange tells it, but not what a refresh has seen.
func (Health) Hides(resource urn.URN, path string) bool {
	return running.InCluster(resource) && !wait.IsSeen(path)
}

// Hides what changes in a cluster, for its ClusterChange tells it, but not what a refresh has seen.
func (Member) Hides(resource urn.URN, path string) bool {
	return running.InCluster(resource) && !wait.IsSeen(path)
}

// Hides what changes in a cluster, for its ClusterChange tells it, but not what a refresh has seen.
func (Recovery) Hides(resource urn.URN, path string) bool {
	return running.InCluster(resource) && !wait.IsSeen(path)
}
