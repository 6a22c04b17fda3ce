package health

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// backups is what quorum-backup on the leader's machine told last: values by names, and what
// failed, by what that was.
type backups struct {
	leader   string
	values   map[string]string
	failures map[string]string
	silence  time.Duration // since it last looked, as far as that is known
}

var (
	backupMetric = regexp.MustCompile(`^quorum_backup_(\w+)(?:\{(.*)\})? (\S+)$`)
	labelOf      = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

const (
	slowest = 15 * time.Minute // that WAL may wait for the archive before it is warned of
	longest = 10 * time.Minute // between two looks, which is two as a rule
)

func readBackups(leader string, lines []string, now time.Time) backups {
	b := backups{leader: leader, values: map[string]string{}, failures: map[string]string{}}
	for _, line := range lines {
		if text, told := strings.CutPrefix(line, "node_time_seconds "); told { // its clock may differ from ours
			if at, ok := seconds(text); ok {
				now = at
			}
		}
		found := backupMetric.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		labels := map[string]string{}
		for _, label := range labelOf.FindAllStringSubmatch(found[2], -1) {
			labels[label[1]] = wait.Unescape(label[2])
		}
		switch found[1] {
		case "failure":
			b.failures[labels["of"]] = labels["reason"]
		case "info":
			b.values["stanza"] = labels["stanza"]
		case "last_success_timestamp_seconds":
			b.values["last_"+labels["type"]] = found[3]
		default:
			b.values[found[1]] = found[3]
		}
	}
	if looked, ok := seconds(b.values["updated_timestamp_seconds"]); ok {
		b.silence = now.Sub(looked)
	}
	return b
}

// seconds reads a time as metrics have it, such as 1.795654959e+09.
func seconds(text string) (at time.Time, ok bool) {
	number, err := strconv.ParseFloat(text, 64)
	return time.UnixMilli(int64(number * 1000)).UTC(), err == nil
}

// backups says what is missing until there is a backup that was found complete.
func (g *gate) backups(ctx context.Context) []string {
	leader := g.last.holder()
	node := g.named(leader)
	if g.BackupStanza == nil || node == nil || !g.isOfAll() {
		return nil
	}
	lines, missing, err := wait.Told(ctx, node.IP)
	if err != nil {
		missing = err.Error()
	}
	if missing != "" {
		return []string{leader + ": " + missing}
	}
	g.backup = readBackups(leader, lines, time.Now())
	if missing = g.backup.missing(*g.BackupStanza); missing != "" {
		return []string{leader + ": " + missing}
	}
	return nil
}

// missing is what is missing until the first backup of a stanza is there and verified.
func (b backups) missing(stanza string) string {
	failed, looked := b.failures["backup"], b.values["stanza"] == stanza && b.values["leader"] == "1"
	switch {
	case looked && b.values["verified_timestamp_seconds"] != "":
		return ""
	case b.stale() != "": // whatever it told then
		return b.stale()
	case !looked:
		return "it has not looked after its backups yet: systemd starts quorum-backup every two minutes"
	case failed != "":
		return "the first backup failed, and is tried again: " + failed
	case b.values["last_full"] != "":
		return "the first backup is there, and is verified"
	case b.values["running"] == "1":
		return "makes the first backup"
	}
	return "there is no backup yet"
}

// stale says that what was told is of long ago, unless what takes long goes on since.
func (b backups) stale() string {
	if b.silence < longest || b.values["running"] == "1" {
		return ""
	}
	return fmt.Sprintf("quorum-backup has not looked after the backups for %d minutes: see `journalctl -u quorum-backup` there", int(b.silence.Minutes()))
}

// warnOfBackups warns of what is wrong with backups that were made before.
func (g *gate) warnOfBackups(ctx context.Context) {
	for _, text := range g.backup.warnings() {
		p.GetLogger(ctx).Warning(text)
	}
}

func (b backups) warnings() (texts []string) {
	if b.leader == "" {
		return nil
	}
	if stale := b.stale(); stale != "" {
		texts = append(texts, b.leader+": "+stale)
	}
	for _, of := range []string{"backup", "drill"} {
		if reason, failed := b.failures[of]; failed {
			texts = append(texts, fmt.Sprintf("%s: the last %s failed: %s", b.leader, of, reason))
		}
	}
	if b.values["overdue"] == "1" {
		texts = append(texts, fmt.Sprintf("%s: a backup is overdue: the last one ended at %s", b.leader, b.time("last_any")))
	}
	if dropped := b.time("dropped_timestamp_seconds"); dropped != "" {
		texts = append(texts, fmt.Sprintf("%s: WAL was dropped at %s, since too much waited for S3: what was written since cannot be restored before there is another full backup", b.leader, dropped))
	}
	if lag, err := strconv.ParseFloat(b.values["archive_lag_seconds"], 64); err == nil && lag > slowest.Seconds() {
		texts = append(texts, fmt.Sprintf("%s: WAL has been waiting for the archive for %d minutes", b.leader, int(lag/60)))
	}
	return texts
}

// times are outputs.
func (b backups) times() map[string]string {
	times := map[string]string{}
	for name, metric := range map[string]string{
		"lastBackup": "last_any", "lastFullBackup": "last_full", "verified": "verified_timestamp_seconds", "lastDrill": "drill_last_success_timestamp_seconds",
		"restorableFrom": "restorable_from_timestamp_seconds", "restorableTo": "restorable_to_timestamp_seconds",
	} {
		if text := b.time(metric); text != "" {
			times[name] = text
		}
	}
	if len(times) == 0 {
		return nil
	}
	return times
}

// time is a metric in the form of RFC 3339, or "".
func (b backups) time(metric string) string {
	at, ok := seconds(b.values[metric])
	if !ok {
		return ""
	}
	return at.Format(time.RFC3339)
}
