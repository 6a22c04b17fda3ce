package wait

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Backups is what quorum-backup on a machine told last: values by names, what it is about by
// names, and what failed, by what that was.
type Backups struct {
	Machine  string
	Values   map[string]float64
	Info     map[string]string
	Failures map[string]Failure
	Restores string        // what it restores just now
	silence  time.Duration // since it last looked
}

// Failure is why something failed, and whether a later look may succeed although nothing is changed.
type Failure struct {
	Reason string
	Again  bool
}

var (
	backupMetric = regexp.MustCompile(`^quorum_backup_(\w+)(?:\{(.*)\})? (\S+)$`)
	labelOf      = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

// labelsIn are the labels of a metric, by name.
func labelsIn(text string) map[string]string {
	labels := map[string]string{}
	for _, label := range labelOf.FindAllStringSubmatch(text, -1) {
		labels[label[1]] = Unescape(label[2])
	}
	return labels
}

// longest is how long quorum-backup, which looks every other minute, may have told nothing.
const longest = 10 * time.Minute

// longestRun is how long systemd lets a backup take.
const longestRun = 72 * time.Hour

// BackupsAt reads what quorum-backup on the machine at ip told last, or says why that is not there.
func BackupsAt(ctx context.Context, machine, ip string) (b Backups, missing string) {
	lines, missing, err := Told(ctx, ip)
	if err != nil {
		missing = err.Error()
	}
	return ReadBackups(machine, lines, time.Now()), missing
}

// ReadBackups reads it from lines of node exporter, which writes large numbers as 1.79576881e+09.
// Without the machine's own time in them it is taken for now there.
func ReadBackups(machine string, lines []string, now time.Time) Backups {
	b := Backups{Machine: machine, Values: map[string]float64{}, Info: map[string]string{}, Failures: map[string]Failure{}}
	for _, line := range lines {
		if text, told := strings.CutPrefix(line, "node_time_seconds "); told {
			if seconds, err := strconv.ParseFloat(text, 64); err == nil {
				now = time.UnixMilli(int64(seconds * 1000))
			}
		}
		found := backupMetric.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		labels := labelsIn(found[2])
		switch name := found[1]; name {
		case "failure":
			b.Failures[labels["of"]] = Failure{labels["reason"], labels["again"] != "false"}
		case "info":
			b.Info = labels
		case "restoring":
			b.Restores = labels["stanza"] + " " + labels["target"]
			if labels["attempt"] != "1" {
				b.Restores += ", attempt " + labels["attempt"] + ": `journalctl -u patroni` there says why the last one failed"
			}
		case "last_success_timestamp_seconds":
			b.set("last_"+labels["type"], found[3])
		default:
			b.set(name, found[3])
		}
	}
	if b.Has(updated) {
		b.silence = now.Sub(time.Unix(int64(b.Values[updated]), 0))
	}
	return b
}

const updated = "updated_timestamp_seconds"

func (b Backups) set(name, text string) {
	if value, err := strconv.ParseFloat(text, 64); err == nil {
		b.Values[name] = value
	}
}

// Has reports whether a value was told.
func (b Backups) Has(name string) bool {
	_, has := b.Values[name]
	return has
}

// Stale says that quorum-backup has not looked for long, or "". A backup of much data takes long, too.
func (b Backups) Stale() string {
	if b.silence < longest || b.Values["running"] == 1 && b.silence < longestRun {
		return ""
	}
	return fmt.Sprintf("quorum-backup has not looked after the backups for %d minutes: see `journalctl -u quorum-backup` there", int(b.silence.Minutes()))
}

// LookedSince reports whether quorum-backup has told something after a moment.
func (b Backups) LookedSince(since time.Time) bool { return b.silence < time.Since(since) }

// InVain says why no later look makes the first backup unless something is changed, as a look since
// a moment has found, or "": what an earlier one found may be mended.
func (b Backups) InVain(since time.Time) string {
	failed, has := b.Failures["backup"]
	if !has || failed.Again || !b.LookedSince(since) || b.Has("verified_timestamp_seconds") {
		return ""
	}
	return "the first backup cannot be made: " + failed.Reason
}

// Warnings are of what is wrong with backups that were made before.
func (b Backups) Warnings() (texts []string) {
	if stale := b.Stale(); stale != "" {
		texts = append(texts, b.Machine+": "+stale)
	}
	for _, of := range []string{"backup", "drill"} {
		if failed, has := b.Failures[of]; has {
			texts = append(texts, fmt.Sprintf("%s: the last %s failed: %s", b.Machine, of, failed.Reason))
		}
	}
	if b.Values["overdue"] == 1 {
		texts = append(texts, fmt.Sprintf("%s: a backup is overdue: the last one ended at %s", b.Machine, b.Time("last_any")))
	}
	return texts
}

// Times are some values, as moments, by the names that outputs have; nil if none was told.
func (b Backups) Times(names map[string]string) map[string]string {
	var times map[string]string
	for name, value := range names {
		if text := b.Time(value); text != "" {
			if times == nil {
				times = map[string]string{}
			}
			times[name] = text
		}
	}
	return times
}

// Time is a value in the form of RFC 3339, or "".
func (b Backups) Time(name string) string {
	if !b.Has(name) {
		return ""
	}
	return time.Unix(int64(b.Values[name]), 0).UTC().Format(time.RFC3339)
}
