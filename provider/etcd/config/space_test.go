package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// TestQuotaAndVolume has quotas on data volumes of several sizes.
func TestQuotaAndVolume(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what          string
		quota, volume int
		refused, warn string
	}{
		{"room for all of it", 2 * gib, 4 * gib, "", ""},
		{"the default on the volume of the examples", 8 * gib, 10 * gib, "", ""},
		{"larger than the volume", 4 * gib, 2 * gib, "must be lower than the size of the data volume, 2 GiB, not 4294967296 (4 GiB)", ""},
		{"as large as the volume", 4 * gib, 4 * gib, "Leaving room for etcd's log, set at most 3416", ""},
		{"no room for the log", 4 * gib, 4*gib + 100*mib, "", "etcd needs 4.9 GiB, and the data volume has 4.1 GiB"},
		{"the default on a small volume is not refused", 8 * gib, gib, "", "the data volume has 1 GiB: the volume may fill up"},
		{"a volume that the log alone fills", 8 * gib, 100 * mib, "", "reached. Use a larger volume: etcd's log and snapshots take up to 512 MiB"},
		{"a quota beyond that", 200 * mib, 100 * mib, "reached. Use a larger volume: etcd's log", ""},
		{"unknown volume", 8 * gib, 0, "", ""},
		{"unknown quota", 0, 2 * gib, "", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			space := config.Space{Volume: c.volume}
			matches(t, c.refused, space.Exceeds(c.quota))
			if c.quota > 0 {
				matches(t, c.warn, strings.Join(space.Warnings(c.quota, true), "\n"))
			}
		})
	}
}

// TestQuotaAndMemory warns of quotas that are seldom meant.
func TestQuotaAndMemory(t *testing.T) {
	t.Parallel()
	space := config.Space{Memory: 2 * gib}
	warned := func(quota int, given bool) string { return strings.Join(space.Warnings(quota, given), "\n") }
	matches(t, "4 GiB of it do not fit into the 2 GiB of the machine", warned(4*gib, true))
	matches(t, "", warned(8*gib, false))
	matches(t, "", warned(2*gib, true))
	matches(t, "refuses all writes once its database, history included, has 16 MiB", warned(16*mib, true))
}

func matches(t *testing.T, want, got string) {
	t.Helper()
	if want == "" {
		assert.Empty(t, got)
	} else {
		assert.Contains(t, got, want)
	}
}
