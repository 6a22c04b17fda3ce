package clusters

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestQuotaThatDoesNotFit has previews refuse and warn of quotas.
func TestQuotaThatDoesNotFit(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.settings(8, "")
	assert.Contains(t, c.PreviewFails().Diagnostics, "etcd.spaceQuota: must be from 1048576 (1 MiB) to 8589934592 (8 GiB, the largest that etcd advises), in bytes, not 8; 8 GiB are 8589934592")
	c.change(func(o *options) { o.data = "1073741824" })
	c.settings(4<<30, "")
	assert.Contains(t, c.PreviewFails().Diagnostics, "etcd.spaceQuota: must be lower than the size of the data volume, 1 GiB, not 4294967296 (4 GiB)")
	c.settings(smallQuota, "")
	assert.Contains(t, c.Preview().Diagnostics, "etcd refuses all writes once its database, history included, has 16 MiB")
	c.settings(800*mib, "")
	assert.Contains(t, c.Preview().Diagnostics, "etcd needs 1.4 GiB, and the data volume has 1 GiB")
}

// TestCorrupt has a member raise the alarm that its data differ from those of
// the others: gates count it as dead, say what to do, and never disarm it.
func TestCorrupt(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	client := c.client(t)
	_, err := etcdserverpb.NewMaintenanceClient(client.ActiveConnection()).Alarm(t.Context(), &etcdserverpb.AlarmRequest{
		Action: etcdserverpb.AlarmRequest_ACTIVATE, Alarm: etcdserverpb.AlarmType_CORRUPT, MemberID: c.voters(t)["etcd-2"],
	})
	require.NoError(t, err)
	c.change(func(o *options) { o.memory, o.limit = 2048, "15s" })
	failed := c.UpFails()
	assert.Contains(t, failed.Diagnostics, "the cluster needs 2 healthy members besides etcd-1, and has 1\netcd-2 has raised alarm CORRUPT: its data differ from those of the others")
	assert.NotContains(t, order(failed), "delete-replaced Domain etcd-1-domain")

	c.change(func(o *options) { o.memory, o.extra = 1024, "      defragment: a\n" })
	failed = c.UpFails()
	assert.Contains(t, failed.Diagnostics, "alarm CORRUPT of etcd-2")
	assert.Contains(t, failed.Diagnostics, "disarm the alarm as root: `etcdctl alarm disarm`. No update disarms it")
	alarms, err := client.AlarmList(t.Context())
	require.NoError(t, err)
	assert.Len(t, alarms.Alarms, 1)

	// As that says.
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-3"}, "60s" })
	assert.Contains(t, c.UpFails().Diagnostics, "alarm CORRUPT of a member that was removed")
	require.Eventually(t, func() bool { // the one that was removed may be asked first
		_, err := client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{})
		return err == nil
	}, time.Minute, time.Second)
	c.Up()
	c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-2", "etcd-3"}, "90s" })
	c.Up()
	assert.Len(t, c.voters(t), 3)
	c.writes(t, c.client(t))
}
