// Package backup has a member of etcd make snapshots, and found clusters from them.
//
// restic keeps them in S3, behind names that another tool could have too. What is due, and
// which member does it, quorum-backup finds out on the machines.
package backup

import (
	"fmt"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Settings say where the snapshots of a cluster go, and when they are made.
type Settings struct {
	S3            host.S3     `pulumi:"s3"`
	EncryptionKey *string     `pulumi:"encryptionKey,optional" provider:"secret"`
	Schedule      *string     `pulumi:"schedule,optional"`
	Retention     *Retention  `pulumi:"retention,optional"`
	Drill         *host.Drill `pulumi:"drill,optional"`
}

// Retention says which snapshots are kept.
type Retention struct {
	Last   *int `pulumi:"last,optional"`
	Daily  *int `pulumi:"daily,optional"`
	Weekly *int `pulumi:"weekly,optional"`
}

// Restore is the snapshot that a cluster is founded from.
type Restore struct {
	S3               host.S3 `pulumi:"s3"`
	EncryptionKey    string  `pulumi:"encryptionKey" provider:"secret"`
	Snapshot         *string `pulumi:"snapshot,optional"`
	Time             *string `pulumi:"time,optional"`
	DropPatroniLocks *bool   `pulumi:"dropPatroniLocks,optional"`
}

const (
	defaultSchedule = "hourly"
	defaultLast     = 24
	defaultDaily    = 7
	defaultWeekly   = 4
)

// WithDefaults is r, or what its absence means.
func (r *Retention) WithDefaults() Retention {
	if r != nil {
		return *r
	}
	last, daily, weekly := defaultLast, defaultDaily, defaultWeekly
	return Retention{&last, &daily, &weekly}
}

// Repository names where the snapshots go, and by which keys: members tell it beside what they tell of them.
func (s Settings) Repository() string {
	return place(s.S3) + "-" + guest.Hash(s.S3.AccessKey, s.S3.SecretKey, *s.EncryptionKey)[:4]
}

// Source names what a cluster is founded from, without what is needed to read it.
func (r Restore) Source() string {
	return guest.Hash(place(r.S3), guest.Text(r.Snapshot, r.Time))
}

// About says what a cluster is founded from, for people.
func (r Restore) About() string {
	which := "the newest"
	switch {
	case r.Snapshot != nil:
		which = *r.Snapshot
	case r.Time != nil:
		which = "the last one before " + *r.Time
	}
	return which + " in " + r.S3.Place()
}

func place(s host.S3) string {
	name, port := s.Address()
	return guest.Hash(name, port, s.Bucket, s.Directory())
}

// Validate returns what is wrong with s.
func (s Settings) Validate() check.List {
	var l check.List
	l.Under("s3", s.S3.Validate())
	if s.EncryptionKey != nil {
		l.Check("encryptionKey", host.EncryptionKey(*s.EncryptionKey))
	}
	l.Check("schedule", check.Schedule(*s.Schedule))
	l.Under("retention", s.Retention.WithDefaults().validate())
	l.Under("drill", s.Drill.Validate())
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (s *Settings) Warnings() check.List {
	var l check.List
	if s == nil {
		return l
	}
	l.Often("schedule", s.Schedule, 5*time.Minute, "a member looks every two minutes whether a snapshot is due, and a snapshot is of all data")
	l.Under("", host.OnItself("s3.endpoint", s.S3.Endpoint, "a store of backups"))
	l.Under("drill", s.Drill.Warnings())
	return l
}

func (r Retention) validate() check.List {
	var l check.List
	if *r.Last < 1 {
		l.Add("last", "must be 1 or more snapshots, not %d: without any, nothing could be restored", *r.Last)
	}
	l.Check("daily", none(*r.Daily))
	l.Check("weekly", none(*r.Weekly))
	return l
}

func none(n int) string {
	if n < 0 {
		return fmt.Sprintf("must be 0 or more snapshots, not %d", n)
	}
	return ""
}

// Validate returns what is wrong with r.
func (r Restore) Validate() check.List {
	var l check.List
	l.Under("s3", r.S3.Validate())
	l.Check("encryptionKey", host.EncryptionKey(r.EncryptionKey))
	if r.Snapshot != nil && !check.Matches(`[0-9a-f]{8,64}`, *r.Snapshot) {
		l.Add("snapshot", "must be the id of a snapshot in restic's repository, 8 to 64 of 0-9 and a-f, not %s", check.Quote(*r.Snapshot))
	}
	if r.Time != nil {
		l.Check("time", check.Moment(*r.Time))
	}
	if r.Snapshot != nil && r.Time != nil {
		l.Add("", "must be one of snapshot or time, not both").Shape().Needing("snapshot", "time")
	}
	return l
}
