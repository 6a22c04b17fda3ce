package guard

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Warn warns, in previews too, with each text that says something.
func Warn(ctx context.Context, texts ...string) {
	for _, text := range texts {
		if text != "" {
			p.GetLogger(ctx).Warning(text)
		}
	}
}

// Hides hides what changes in a cluster, for its ClusterChange tells it, but not the trigger by which a refresh
// tells what it has seen.
func Hides(resource urn.URN, path, seen string) bool {
	return running.InCluster(resource) && path != "triggers."+seen
}
