package clusters

import (
	"testing"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestPreviewsOfMajorityLost has two of three members go with their data: a preview with --refresh says what becomes of
// them, and what the update can do then, with and without the way out in the program.
func TestPreviewsOfMajorityLost(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	c.lose(t, "etcd-1", "etcd-3")
	previews.Reads(t, "etcd/majority-lost", c.subnet, c.Preview("--refresh"))
	c.recoverFrom("etcd-2")
	previews.Reads(t, "etcd/majority-lost-recovered", c.subnet, c.Preview("--refresh"))
}
