package etcdjoin

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRecover has one of three members be all that is left, besides one that
// comes back with its data later.
func TestRecover(t *testing.T) {
	t.Parallel()
	all := machines(t, 3)
	survivor, lost, back := all[0], all[1], all[2]
	founded(t, all)
	for _, m := range all {
		m.stop()
	}
	lost.loseData(t)
	survivor.recovers(t, "r1")
	survivor.serves(t)
	client := survivor.connect(t)
	assert.Equal(t, []string{"etcd-1"}, names(t, client))
	assert.True(t, has(t, client, "before"))
	assert.DirExists(t, survivor.data()+"/member.before-r1")
	put(t, client, "after")
	lost.again(t)
	lost.joins(t, client)

	back.again(t)
	back.joins(t, client)
	assert.DirExists(t, back.data()+"/member.removed", "its own data are kept")
	third := back.connect(t)
	assert.Eventually(t, func() bool { return has(t, third, "before") && has(t, third, "after") }, 20*time.Second, 100*time.Millisecond)

	survivor.stop()
	survivor.again(t) // with what it was handed
	survivor.serves(t)
	assert.ElementsMatch(t, []string{"etcd-1", "etcd-2", "etcd-3"}, names(t, survivor.connect(t)), "once is enough")

	for _, m := range all { // another time, from another member
		m.stop()
	}
	survivor.loseData(t)
	lost.loseData(t)
	back.recovers(t, "r2")
	back.serves(t)
	assert.Equal(t, []string{"etcd-3"}, names(t, back.connect(t)))
	assert.True(t, has(t, back.connect(t), "after"))
}

// TestRecoverAfterCrash has a machine die when its log has an acknowledged
// write, and nothing on disk says yet that it is confirmed.
func TestRecoverAfterCrash(t *testing.T) {
	t.Parallel()
	all := machines(t, 3)
	founded(t, all)
	put(t, all[0].connect(t), "acknowledged")
	var images []string
	for _, m := range all {
		require.Eventually(t, func() bool { return has(t, m.connect(t), "acknowledged") }, 20*time.Second, 100*time.Millisecond)
		image := filepath.Join(t.TempDir(), "image")
		require.NoError(t, os.CopyFS(image, os.DirFS(m.data())))
		images = append(images, image)
	}
	for i, m := range all {
		m.stop()
		require.NoError(t, os.RemoveAll(m.data()))
		require.NoError(t, os.Rename(images[i], m.data()))
	}
	for _, m := range all { // each by itself
		m.recovers(t, "r1")
		m.serves(t)
		assert.True(t, has(t, m.connect(t), "acknowledged"), m.ip)
		assert.Len(t, names(t, m.connect(t)), 1)
		m.stop()
	}
}

// TestRecoverCut kills a recovery again and again, a little later each time.
func TestRecoverCut(t *testing.T) {
	t.Parallel()
	all := machines(t, 3)
	survivor := all[0]
	founded(t, all)
	for _, m := range all {
		m.stop()
	}
	survivor.config.Recovery = "r1"
	survivor.install(t)
	cut := 0
	for after := 50 * time.Millisecond; ; after = after * 5 / 4 {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		err := survivor.prepare(ctx, os.Stderr)
		cancel()
		if err == nil {
			break
		}
		cut++
	}
	assert.Greater(t, cut, 5)
	survivor.again(t)
	survivor.serves(t)
	client := survivor.connect(t)
	assert.Equal(t, []string{"etcd-1"}, names(t, client))
	assert.True(t, has(t, client, "before"))
}

// TestRecoverWithoutNeed has a member be handed a recovery while the others
// hold the quorum, and later when it has no data.
func TestRecoverWithoutNeed(t *testing.T) {
	t.Parallel()
	all := machines(t, 3)
	founded(t, all)
	named := all[2]
	named.stop()
	named.recovers(t, "r1")
	named.serves(t)
	assert.Len(t, names(t, named.connect(t)), 3)

	for _, m := range all {
		m.stop()
	}
	named.loseData(t)
	all[1].again(t)
	all[0].again(t)
	all[0].serves(t)
	client := all[0].connect(t)
	list, err := client.MemberList(within(t, 20))
	require.NoError(t, err)
	for _, member := range list.Members {
		if member.Name == "etcd-3" {
			require.Eventually(t, func() bool {
				_, err = client.MemberRemove(within(t, 20), member.ID)
				return err == nil
			}, 30*time.Second, 200*time.Millisecond)
		}
	}
	named.again(t)
	named.joins(t, client)
	all[0].stop()
	all[1].stop()
	named.stop()
	named.again(t) // its data are newer than what it was handed
	select {
	case <-named.started:
	case <-time.After(30 * time.Second):
	}
	require.NotNil(t, named.etcd)
	assert.Zero(t, named.etcd.Server.Leader(), "it waits for the others")
}
