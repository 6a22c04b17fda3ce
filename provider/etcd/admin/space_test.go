package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
)

const mib = 1 << 20

// TestFullness judges databases of several sizes.
func TestFullness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what               string
		size, inUse, quota int64
		room, mended       bool
	}{
		{"nearly empty", 2 * mib, 2*mib - 4096, 16 * mib, true, false},
		{"full", 16 * mib, 16*mib - 4096, 16 * mib, false, false},
		{"full of what was deleted", 16 * mib, 2 * mib, 16 * mib, false, true},
		{"fragmented, and not full", 12 * mib, 2 * mib, 16 * mib, true, false},
		{"less would still be full", 18 * mib, 16 * mib, 16 * mib, false, false},
		{"a little below its quota", 16*mib - 100, 16*mib - 200, 16 * mib, false, false},
		{"a twentieth free", 38 * mib, 38 * mib, 40 * mib, true, false},
		{"less than a twentieth free", 38*mib + 4096, 38*mib - 4096, 40 * mib, false, true},
		{"a larger quota", 16 * mib, 16 * mib, 64 * mib, true, false},
		{"nobody knows the quota", 16 * mib, 2 * mib, 0, false, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			f := fullness{size: c.size, inUse: c.inUse, quota: c.quota}
			assert.Equal(t, c.room, f.hasRoom(), "room")
			assert.Equal(t, c.mended, f.mended(), "mended by defragmentation")
		})
	}
}

// TestFullSays names the alarm, who raised it, how full each database is, and the cure.
func TestFullSays(t *testing.T) {
	t.Parallel()
	text := full([]string{"etcd-2"}, []fullness{
		{member: &etcdserverpb.Member{Name: "etcd-1"}, size: 16 * mib, inUse: 15 * mib, quota: 16 * mib},
		{member: &etcdserverpb.Member{Name: "etcd-2"}, size: 17 * mib, inUse: 15 * mib},
	})
	for _, part := range []string{
		"alarm NOSPACE of etcd-2", "etcd refuses writes", "etcd-1 has 16 MiB of its quota of 16 MiB, 15 MiB in use", "etcd-2 has 17 MiB of an unknown quota, 15 MiB in use",
		"Increase etcd.spaceQuota", "`etcdctl compact`", "`defragment`",
	} {
		assert.Contains(t, text, part)
	}
}
