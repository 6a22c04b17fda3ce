// Package backup has a node of PostgreSQL archive its WAL and make backups, and founds
// clusters from them.
//
// pgBackRest does the work, behind names that another tool could have too. What is due, and
// which node does it, quorum-backup finds out on the machines.
package backup

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Settings say where the backups of a cluster go, and when they are made.
type Settings struct {
	S3                   host.S3     `pulumi:"s3"`
	EncryptionKey        *string     `pulumi:"encryptionKey,optional" provider:"secret"`
	Stanza               *string     `pulumi:"stanza,optional"`
	FullSchedule         *string     `pulumi:"fullSchedule,optional"`
	DifferentialSchedule *string     `pulumi:"differentialSchedule,optional"`
	RetentionFull        *int        `pulumi:"retentionFull,optional"`
	ArchiveTimeout       *int        `pulumi:"archiveTimeout,optional"`
	ArchivePushQueueMax  *int        `pulumi:"archivePushQueueMax,optional"`
	Drill                *host.Drill `pulumi:"drill,optional"`
}

// Restore is the backup that a cluster is founded from.
type Restore struct {
	S3            host.S3 `pulumi:"s3"`
	EncryptionKey string  `pulumi:"encryptionKey" provider:"secret"`
	Stanza        string  `pulumi:"stanza"`
	Set           *string `pulumi:"set,optional"`
	Target        *Target `pulumi:"target,optional"`
}

// Source are the backups of a cluster that a standby of it copies and follows.
type Source struct {
	S3            host.S3 `pulumi:"s3"`
	EncryptionKey string  `pulumi:"encryptionKey" provider:"secret"`
	Stanza        string  `pulumi:"stanza"`
}

// Target is up to where WAL is restored; without one, to its end.
type Target struct {
	Time      *string `pulumi:"time,optional"`
	LSN       *string `pulumi:"lsn,optional"`
	Name      *string `pulumi:"name,optional"`
	XID       *string `pulumi:"xid,optional"`
	Immediate *bool   `pulumi:"immediate,optional"`
	Exclusive *bool   `pulumi:"exclusive,optional"`
	Timeline  *string `pulumi:"timeline,optional"`
}

const (
	defaultFull           = "weekly"
	defaultDifferential   = "daily"
	defaultRetentionFull  = 2
	defaultArchiveTimeout = 60

	noLimit = 1 << 52 // the most that pgBackRest takes as archive-push-queue-max
)

// Access is a hash of where the backups go, and of what opens the service.
func (s Settings) Access() string { return guest.Hash(guest.Text(s.S3)) }

// ID tells one configuration of backups from another, and nothing of the keys in it: nodes tell
// it beside what they tell of their backups.
func ID(access, encryptionKey, stanza string) string {
	return guest.Hash(access, encryptionKey, stanza)[:digits]
}

// digits are few, so that nobody can try keys against an id.
const digits = 4

// Source names what a cluster is founded from, without what is needed to read it.
func (r Restore) Source() string {
	name, port := r.S3.Address()
	return guest.Hash(name, port, r.S3.Bucket, r.S3.Directory(), r.Stanza, guest.Text(r.Set, r.Target))
}

// source is where the backup lies, and what is needed to read it.
func (r Restore) source() Source { return Source{r.S3, r.EncryptionKey, r.Stanza} }

// About names the backups, for people.
func (s Source) About() string { return "the backups of " + s.Stanza + " in " + s.S3.Place() }

// About says what a cluster is founded from, for people.
func (r Restore) About() string {
	from := "the backups"
	if r.Set != nil {
		from = "the backup " + *r.Set
	}
	return from + " of " + r.Stanza + " in " + r.S3.Place() + ", " + r.Target.about()
}

// about says up to where WAL is restored.
func (t *Target) about() string {
	kind, _ := t.kind()
	if kind == "default" {
		return "with all that was archived"
	}
	if kind == "immediate" {
		return "as it was when the backup ended"
	}
	before := " at "
	if ptr.Value(t.Exclusive) {
		before = " right before "
	}
	return "as it was" + before + map[string]string{
		"time": ptr.Value(t.Time), "lsn": "LSN " + ptr.Value(t.LSN), "name": "the restore point " + ptr.Value(t.Name), "xid": "the commit of transaction " + ptr.Value(t.XID),
	}[kind]
}

// kind is the target as pgBackRest's --type and --target.
func (t *Target) kind() (kind, value string) {
	switch {
	case t == nil:
		return "default", ""
	case t.Time != nil:
		return "time", postgresTime(*t.Time)
	case t.LSN != nil:
		return "lsn", *t.LSN
	case t.Name != nil:
		return "name", *t.Name
	case t.XID != nil:
		return "xid", *t.XID
	case ptr.Value(t.Immediate):
		return "immediate", ""
	}
	return "default", ""
}
