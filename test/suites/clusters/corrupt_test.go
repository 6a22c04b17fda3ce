package clusters

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
)

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

// TestWrongData has the disk of a member that is off come back with another value of a key:
// etcd finds it out.
func TestWrongData(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, release string) *cluster {
		t.Helper()
		c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
		c.releases(t, release)
		c.Up()
		_, err := c.client(t).Put(t.Context(), "/precious", "data")
		require.NoError(t, err)
		require.Eventually(t, func() bool { return c.valueAt(t, "etcd-2", "/precious") == "data" }, time.Minute, time.Second)
		c.machines.Off("etcd-2")
		c.spoil(t, "/precious")
		c.machines.Mend("etcd-2")
		return c
	}
	without := func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-3"}, "60s" }
	again := func(t *testing.T, c *cluster) {
		t.Helper()
		c.change(func(o *options) { o.members, o.limit = []string{"etcd-1", "etcd-2", "etcd-3"}, "90s" })
		c.Up()
		assert.Len(t, c.voters(t), 3)
		assert.Equal(t, "data", c.valueAt(t, "etcd-2", "/precious"))
	}
	t.Run("3.5", func(t *testing.T) {
		t.Parallel()
		c := start(t, debian13)
		require.Eventually(t, func() bool { return c.valueAt(t, "etcd-2", "/precious") == "date" }, time.Minute, time.Second, "it asks nobody when it starts")
		client := c.client(t)
		found, err := client.Get(t.Context(), "/precious")
		require.NoError(t, err)
		_, err = client.Compact(t.Context(), found.Header.Revision)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			alarms, err := client.AlarmList(t.Context())
			return err == nil && len(alarms.Alarms) == 1
		}, 3*time.Minute, time.Second, "the leader asks each minute")

		c.change(func(o *options) { o.memory, o.limit = 2048, "60s" })
		assert.Contains(t, c.UpFails().Diagnostics, "alarm CORRUPT of a member, and etcd cannot tell which: its data differ from those of the others")
		c.change(without)
		assert.Contains(t, c.UpFails().Diagnostics, "alarm CORRUPT of a member")
		require.Eventually(t, func() bool {
			_, err := client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{})
			return err == nil
		}, time.Minute, time.Second)
		c.Up()
		again(t, c)
	})
	t.Run("3.6", func(t *testing.T) {
		t.Parallel()
		c := start(t, next)
		assert.Never(t, func() bool { return c.valueAt(t, "etcd-2", "/precious") != "" }, 10*time.Second, time.Second, "it asks the others before it serves")
		c.change(without)
		c.Up()
		again(t, c)
	})
}

// valueAt is what a member itself has as the value of a key, or "".
func (c *cluster) valueAt(t *testing.T, member, key string) string {
	t.Helper()
	to := c.connection()
	to.Endpoints = []string{fmt.Sprintf("%s.%s:2379", c.subnet, member[len("etcd-"):])}
	client, err := admin.Dial(t.Context(), to)
	if err != nil {
		return ""
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	found, err := client.Get(ctx, key, clientv3.WithSerializable())
	if err != nil || len(found.Kvs) == 0 {
		return ""
	}
	return string(found.Kvs[0].Value)
}

// spoil changes the value of a key in the database of the one member that is off: those of
// the others are locked.
func (c *cluster) spoil(t *testing.T, key string) {
	t.Helper()
	spoiled := 0
	require.NoError(t, filepath.WalkDir(filepath.Join(c.machines.Dir, "volumes"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "db" {
			return err
		}
		db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: time.Second})
		if errors.Is(err, bolterrors.ErrTimeout) {
			return nil
		}
		require.NoError(t, err)
		defer db.Close()
		return db.Update(func(tx *bolt.Tx) error {
			keys := tx.Bucket([]byte("key"))
			return keys.ForEach(func(revision, value []byte) error {
				var pair mvccpb.KeyValue
				if pair.Unmarshal(value) != nil || string(pair.Key) != key {
					return nil
				}
				spoiled++
				pair.Value = []byte("date")
				changed, err := pair.Marshal()
				require.NoError(t, err)
				return keys.Put(append([]byte(nil), revision...), changed)
			})
		})
	}))
	require.Equal(t, 1, spoiled)
}
