package config

import (
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Bounds of the space quota, in bytes.
const (
	minSpaceQuota   = 1 << 20  // an empty database has 20 kB; below it etcd refuses to be set up
	smallSpaceQuota = 64 << 20 // for tests only: a database of a few thousand keys and their history is larger
	MaxSpaceQuota   = 8 << 30  // the largest that etcd advises: https://etcd.io/docs/latest/dev-guide/limit/

	// besideDatabase is what else lies on the volume: five files of the log, of 64 MiB each
	// (--max-wals, and wal.SegmentSizeBytes in etcd), and snapshots.
	besideDatabase = 512 << 20
)

// Space is what a member has for its database, in bytes; 0 is unknown.
type Space struct{ Memory, Volume int }

// quotas are those that etcd works with.
var quotas = check.Bounds{
	Least: minSpaceQuota, LeastIs: "1 MiB", Most: MaxSpaceQuota, MostIs: "8 GiB, the largest that etcd advises", In: check.Byte,
	Slips: []check.Unit{check.MiB, check.GiB}, Usual: smallSpaceQuota,
}

// Exceeds says why a member's volume cannot take the database that the quota
// allows, or "". The default is no reason to refuse a volume, and what is out of range is
// refused for that.
func (s Space) Exceeds(quota int) string {
	if quota == MaxSpaceQuota || s.Volume == 0 || quota < s.Volume || quotas.Check(quota) != "" || check.VolumeBytes.Check(s.Volume) != "" {
		return ""
	}
	return fmt.Sprintf("must be lower than the size of the data volume, %s, not %d (%s): the volume would fill up and etcd would stop before the quota is reached. %s",
		Bytes(s.Volume), quota, Bytes(quota), advised(s.Volume, "Leaving room for etcd's log, set"))
}

// Warnings are of what is allowed for the space quota, and seldom meant. Given reports whether the quota
// is not just the default.
func (s Space) Warnings(quota int, given bool) (all []string) {
	if quota < smallSpaceQuota {
		all = append(all, fmt.Sprintf("etcd refuses all writes once its database, history included, has %s, which is for tests. etcd's own default is 2 GiB (2147483648)", Bytes(quota)))
	}
	// etcd lets the database grow a tenth beyond the quota: server/storage/backend.go.
	if most := quota + quota/10 + besideDatabase; s.Volume != 0 && most > s.Volume && s.Exceeds(quota) == "" {
		all = append(all, fmt.Sprintf("with a database of %s, its log and snapshots, etcd needs %s, and the data volume has %s: the volume may fill up, and etcd stop, before the quota is reached. %s",
			Bytes(quota), Bytes(most), Bytes(s.Volume), advised(s.Volume, "Use a larger volume, or a quota of")))
	}
	if given && s.Memory != 0 && quota > s.Memory {
		all = append(all, fmt.Sprintf("etcd maps its database into memory, and %s of it do not fit into the %s of the machine, so that reads would go to the disk. Use more memory, or a quota below it",
			Bytes(quota), Bytes(s.Memory)))
	}
	return all
}

// advised is what to do about a volume of that size, in bytes: a quota that fits, if there is
// one, after the words that lead to it.
func advised(volume int, words string) string {
	quota := max(0, volume-besideDatabase) / 11 * 10
	if quota < smallSpaceQuota {
		return "Use a larger volume: etcd's log and snapshots take up to " + Bytes(besideDatabase)
	}
	return fmt.Sprintf("%s at most %d (%s)", words, quota, Bytes(quota))
}

// Bytes is a size as people read it.
func Bytes(n int) string { return check.Bytes(n) }
