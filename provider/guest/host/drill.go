package host

import (
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Drill is a restore of the newest backup for trial.
type Drill struct {
	Enabled  *bool   `pulumi:"enabled,optional"`
	Schedule *string `pulumi:"schedule,optional"`
}

const defaultDrill = "weekly"

// When is when there is a drill, or "".
func (d *Drill) When() string {
	switch {
	case d == nil:
		return defaultDrill
	case !*d.Enabled:
		return ""
	}
	return *d.Schedule
}

// Schedules are those of backups, and that of the drill if there is one.
func (d *Drill) Schedules(backups ...string) []string {
	if drill := d.When(); drill != "" {
		return append(backups, drill)
	}
	return backups
}

// Validate returns what is wrong with d.
func (d *Drill) Validate() check.List {
	var l check.List
	if d != nil {
		l.Check("schedule", check.Schedule(*d.Schedule))
	}
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (d *Drill) Warnings() check.List {
	var l check.List
	if d != nil && *d.Enabled {
		l.Often("schedule", d.Schedule, time.Hour, "a drill reads a whole backup from S3, and uses the disk and processors of a machine of the cluster")
	}
	return l
}

// leastKey is the shortest key in which there is enough chance.
const leastKey = 16

// EncryptionKey requires what backups can be encrypted with.
func EncryptionKey(s string) string {
	if reason := check.Word(s); reason != "" {
		return reason
	}
	if len(s) < leastKey {
		return "must be 16 characters or longer"
	}
	return ""
}
