package backup

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

var (
	_ infer.Annotated = (*Settings)(nil)
	_ infer.Annotated = (*Restore)(nil)
	_ infer.Annotated = (*Source)(nil)
	_ infer.Annotated = (*Target)(nil)
)

// What is said of the inputs of a node and of a cluster.
const (
	AboutBackup  = "Archives WAL and makes backups, with pgBackRest. Turning it on or off restarts PostgreSQL, one node at a time; all other changes are live."
	AboutRestore = "The backup that the cluster is founded from. It has no effect on a cluster that exists: remove it once the cluster is there."
)

// Annotate describes s.
func (s *Settings) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresBackup")
	a.Describe(&s, "Backups of a PostgreSQL cluster. The node that leads makes them.")
	a.Describe(&s.S3, "Where they are kept.")
	a.Describe(&s.EncryptionKey, "pgBackRest's `repo1-cipher-pass`: what backups and WAL are encrypted with (AES-256-CBC), 16 characters or more. Without it nobody can restore them: keep it elsewhere too. A change makes the existing repository unreadable: change `stanza` with it.")
	a.Describe(&s.Stanza, "pgBackRest's `stanza`: the name of the cluster in the repository. No other cluster may have it, nor one that was restored from this one's backups.")
	a.Describe(&s.FullSchedule, "When there is a full backup."+host.AboutSchedule)
	a.SetDefault(&s.FullSchedule, defaultFull)
	a.Describe(&s.DifferentialSchedule, "When there is a differential backup, of what has changed since the last full one."+host.AboutSchedule)
	a.SetDefault(&s.DifferentialSchedule, defaultDifferential)
	a.Describe(&s.RetentionFull, "pgBackRest's `repo1-retention-full`: number of full backups to keep, with the differential ones after them and all WAL since the oldest.")
	a.SetDefault(&s.RetentionFull, defaultRetentionFull)
	a.Describe(&s.ArchiveTimeout, "PostgreSQL's `archive_timeout`: seconds after which WAL is archived although its file is not full. This much may be lost with the whole site.")
	a.SetDefault(&s.ArchiveTimeout, defaultArchiveTimeout)
	a.Describe(&s.ArchivePushQueueMax, "pgBackRest's `archive-push-queue-max`: bytes of WAL that may wait while S3 is away. Beyond that the waiting WAL is dropped, so that PostgreSQL can go on to write; a full backup follows when S3 is back, and nothing in between can be restored. 0 is no limit: then PostgreSQL stops when its disk is full. By default half of the data volume, or less, so that a tenth of the volume, at most 4 GiB, stays free beside the data.")
	a.Describe(&s.Drill, "A test restore of the newest backup, on a node and beside its data, which checks each page and index.")
}

// Annotate describes r.
func (r *Restore) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresRestore")
	a.Describe(&r, "The backup of another cluster that a new one is founded from.")
	a.Describe(&r.S3, "Where it is kept. Keys that may list and read are enough.")
	a.Describe(&r.EncryptionKey, "What it is encrypted with: the other cluster's `backup.encryptionKey`.")
	a.Describe(&r.Stanza, "The other cluster's `backup.stanza`. The new cluster's own must be another: it continues the WAL of the old one, which would not fit the old cluster's any more.")
	a.Describe(&r.Set, "Label of the backup to begin with, like 20261122-110646F: pgBackRest's `--set`. By default the last one before `target.time` or `target.lsn`, else the newest.")
	a.Describe(&r.Target, "Up to where the WAL is restored. Without it, to its end.")
}

// Annotate describes s.
func (s *Source) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresStandbyBackup")
	a.Describe(&s, "The backups of the cluster that a standby cluster follows: its `backup`.")
	a.Describe(&s.S3, "Where they are kept. Keys that may list and read are enough.")
	a.Describe(&s.EncryptionKey, "What they are encrypted with: the source's `backup.encryptionKey`, or its output `backupEncryptionKey`.")
	a.Describe(&s.Stanza, "The source's `backup.stanza`, or its output `backupStanza`. This cluster's own must be another.")
}

// Annotate describes t.
func (t *Target) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresRestoreTarget")
	a.Describe(&t, "A point in the WAL of the other cluster: at most one of `time`, `lsn`, `name`, `xid` and `immediate`. A target after the end of the WAL is an error.")
	a.Describe(&t.Time, "PostgreSQL's `recovery_target_time`, with its zone, like 2026-11-22T14:32:00Z: after the end of the first backup, and before the last transaction that was archived.")
	a.Describe(&t.LSN, "PostgreSQL's `recovery_target_lsn`, like 16/B374D848.")
	a.Describe(&t.Name, "PostgreSQL's `recovery_target_name`: a point that `pg_create_restore_point` made.")
	a.Describe(&t.XID, "PostgreSQL's `recovery_target_xid`: the number of a transaction.")
	a.Describe(&t.Immediate, "PostgreSQL's `recovery_target: immediate`: as soon as the backup is consistent.")
	a.SetDefault(&t.Immediate, false)
	a.Describe(&t.Exclusive, "Whether to stop right before the target: `recovery_target_inclusive: false`. With `time`, `lsn` or `xid`.")
	a.SetDefault(&t.Exclusive, false)
	a.Describe(&t.Timeline, "PostgreSQL's `recovery_target_timeline`: `latest`, `current` (that of the backup) or a number.")
	a.SetDefault(&t.Timeline, "latest")
}
