package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestQuotaThatDoesNotFit has previews refuse and warn of quotas.
func TestQuotaThatDoesNotFit(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.settings(8, "")
	assert.Contains(t, c.PreviewFails().Diagnostics, "etcd.spaceQuota: must be from 1048576 (1 MiB) to 8589934592 (8 GiB, the largest that etcd advises), in bytes, not 8 bytes: GiB was meant? 8 GiB are 8589934592")
	c.change(func(o *options) { o.data = "1073741824" })
	c.settings(4<<30, "")
	assert.Contains(t, c.PreviewFails().Diagnostics, "etcd.spaceQuota: must be lower than the size of the data volume, 1 GiB, not 4294967296 (4 GiB)")
	c.settings(smallQuota, "")
	assert.Contains(t, c.Preview().Diagnostics, "etcd refuses all writes once its database, history included, has 16 MiB")
	c.settings(800*mib, "")
	assert.Contains(t, c.Preview().Diagnostics, "etcd needs 1.4 GiB, and the data volume has 1 GiB")
}
