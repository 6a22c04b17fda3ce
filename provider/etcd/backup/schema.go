package backup

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

var (
	_ infer.Annotated = (*Settings)(nil)
	_ infer.Annotated = (*Retention)(nil)
	_ infer.Annotated = (*Restore)(nil)
)

// Annotate describes s.
func (s *Settings) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdBackup")
	a.Describe(&s, "Snapshots of an etcd cluster, with restic. One healthy member makes them, a follower if there is one.")
	a.Describe(&s.S3, "Where they are kept. Each cluster needs a `prefix` of its own there.")
	a.Describe(&s.EncryptionKey, "restic's password: what snapshots are encrypted with, 16 characters or more. Without it nobody can restore them: keep it elsewhere too. A change makes the existing repository unreadable: change `s3.prefix` with it.")
	a.Describe(&s.Schedule, "When there is a snapshot."+host.AboutSchedule)
	a.SetDefault(&s.Schedule, defaultSchedule)
	a.Describe(&s.Retention, "Which snapshots are kept: all that one of its rules keeps.")
	a.Describe(&s.Drill, "A test restore of the newest snapshot, on a member and beside its data: its hash is compared, and etcd started with it. All data of the repository are read, too.")
}

// Annotate describes r.
func (r *Retention) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdBackupRetention")
	a.Describe(&r, "Which snapshots are kept. The others are removed after each snapshot.")
	a.Describe(&r.Last, "restic's `--keep-last`: number of newest snapshots.")
	a.SetDefault(&r.Last, defaultLast)
	a.Describe(&r.Daily, "restic's `--keep-daily`: the newest snapshot of each of this many last days that have one.")
	a.SetDefault(&r.Daily, defaultDaily)
	a.Describe(&r.Weekly, "restic's `--keep-weekly`: the newest snapshot of each of this many last weeks that have one.")
	a.SetDefault(&r.Weekly, defaultWeekly)
}

// Annotate describes r.
func (r *Restore) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdRestore")
	a.Describe(&r, "The snapshot that a new cluster is founded from. Without `snapshot` and `time`, the newest one.")
	a.Describe(&r.S3, "Where it is kept. Keys that may list and read are enough.")
	a.Describe(&r.EncryptionKey, "What it is encrypted with: the other cluster's `backup.encryptionKey`.")
	a.Describe(&r.Snapshot, "Id of the snapshot, as `restic snapshots` shows it.")
	a.Describe(&r.Time, "The newest snapshot before this moment, with its zone, like 2026-11-22T14:32:00Z.")
	a.Describe(&r.DropPatroniLocks, "Whether the keys `leader`, `sync` and `failover` of all clusters of Patroni are removed before a client may connect. In a snapshot they are out of date: the node that a stale `leader` names could promote itself, and lose what was acknowledged since. With false, `sync` and `failover` stay; `leader` has a lease, and is not restored.")
	a.SetDefault(&r.DropPatroniLocks, true)
}
