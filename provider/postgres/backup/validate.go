package backup

import (
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

const stanzaName = `[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?`

// Validate returns what is wrong with s.
func (s Settings) Validate() check.List {
	var l check.List
	l.Under("s3", s.S3.Validate())
	if s.EncryptionKey != nil {
		l.Check("encryptionKey", host.EncryptionKey(*s.EncryptionKey))
	}
	if s.Stanza != nil {
		l.Check("stanza", stanza(*s.Stanza))
	}
	l.Check("fullSchedule", check.Schedule(*s.FullSchedule))
	l.Check("differentialSchedule", check.Schedule(*s.DifferentialSchedule))
	if n := *s.RetentionFull; n < 1 {
		l.Add("retentionFull", "must be 1 or more full backups, not %d: without any, nothing could be restored", n)
	}
	l.Check("archiveTimeout", check.Range(*s.ArchiveTimeout, 1, 24*3600))
	if n := s.ArchivePushQueueMax; n != nil && *n != 0 && check.VolumeBytes.Check(*n) != "" { // room for a few files of WAL
		l.Add("archivePushQueueMax", "must be 0 for no limit, or %s", strings.TrimPrefix(check.VolumeBytes.Check(*n), "must be "))
	}
	l.Under("drill", s.Drill.Validate())
	return l
}

const longArchiveTimeout = 3600 // an hour

// Warnings are of what is allowed, and seldom meant.
func (s *Settings) Warnings() check.List {
	var l check.List
	if s == nil {
		return l
	}
	l.Often("fullSchedule", s.FullSchedule, time.Hour, "a full backup is of all data; for what changes in between there are differentialSchedule and the WAL")
	l.Often("differentialSchedule", s.DifferentialSchedule, 10*time.Minute, "a differential backup is of all that has changed since the last full one; for what changes in between there is the WAL")
	if n := s.ArchiveTimeout; n != nil && *n > longArchiveTimeout {
		l.Add("archiveTimeout", "is %d seconds: what was committed for that long is lost if all nodes are lost. A minute is usual", *n)
	}
	l.Under("", host.OnItself("s3.endpoint", s.S3.Endpoint, "a store of backups"))
	l.Under("drill", s.Drill.Warnings())
	return l
}

// Validate returns what is wrong with r.
func (r Restore) Validate() check.List {
	var l check.List
	l.Under("", r.source().Validate())
	if r.Set != nil && !check.Matches(`\d{8}-\d{6}F(_\d{8}-\d{6}[DI])?`, *r.Set) {
		l.Add("set", "must be the label of a backup, as in 20261122-110646F, not %s", check.Quote(*r.Set))
	}
	if r.Target != nil {
		l.Under("target", r.Target.validate())
	}
	return l
}

// Validate returns what is wrong with s.
func (s Source) Validate() check.List {
	var l check.List
	l.Under("s3", s.S3.Validate())
	l.Check("encryptionKey", host.EncryptionKey(s.EncryptionKey))
	l.Check("stanza", stanza(s.Stanza))
	return l
}

func (t Target) validate() check.List {
	var l check.List
	var given []string
	for _, one := range []struct {
		name  string
		value *string
		rule  func(string) string
	}{{"time", t.Time, check.Moment}, {"lsn", t.LSN, lsn}, {"name", t.Name, check.OneLine}, {"xid", t.XID, xid}} {
		if one.value != nil {
			given = append(given, one.name)
			l.Check(one.name, one.rule(*one.value))
		}
	}
	if ptr.Value(t.Immediate) {
		given = append(given, "immediate")
	}
	if len(given) > 1 {
		l.Add("", "must be one of %s, not several", check.Or(given)).Shape().Needing(given...)
	}
	if ptr.Value(t.Exclusive) && t.Time == nil && t.LSN == nil && t.XID == nil {
		l.Add("exclusive", "must be given with time, lsn or xid only").Shape().Needing("time", "lsn", "xid")
	}
	if tl := t.Timeline; tl != nil && !check.Matches(`latest|current|[1-9]\d{0,9}`, *tl) {
		l.Add("timeline", "must be latest, current or the number of a timeline, not %s", check.Quote(*tl))
	}
	return l
}

func stanza(s string) string {
	if s == "global" {
		return "must not be global: pgBackRest has its settings of all stanzas below that name"
	}
	if len(s) > 63 || !check.Matches(stanzaName, s) {
		return "must be 1 to 63 of A-Z, a-z, 0-9, -, _ and ., beginning and ending with a letter or digit, not " + check.Quote(s)
	}
	return ""
}

// postgresTime is a time as PostgreSQL and pgBackRest read it.
func postgresTime(s string) string {
	t, err := check.ParseMoment(s)
	if err != nil {
		return s // it is refused
	}
	return t.UTC().Format("2006-01-02 15:04:05.000000+00:00")
}

func lsn(s string) string {
	if !check.Matches(`[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}`, s) {
		return "must be a place in the WAL, as in 16/B374D848, not " + check.Quote(s)
	}
	return ""
}

func xid(s string) string {
	if !check.Matches(`[1-9]\d{0,19}`, s) {
		return "must be the number of a transaction, not " + check.Quote(s)
	}
	return ""
}
