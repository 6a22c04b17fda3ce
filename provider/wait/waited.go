package wait

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// waited is what is known of a machine as long as something is missing there.
type waited struct {
	kind    string // of what is missing; "" is nothing
	since   time.Time
	isNew   bool // since the last look
	kinds   map[string]seen
	lines   []string
	stage   string // as the machine tells
	silent  string // why it tells nothing
	asked   time.Time
	nothing time.Time // since when nothing answers there
	hinted  bool
}

// seen is when something of a kind was missing, first and last, and when that was shown.
type seen struct{ since, last, shown time.Time }

// again is until a line that has not changed is shown again.
const again = time.Minute

// usualBoot is how long a first boot takes, with the packages: from the fastest
// machines alone to the slowest cluster of docs/benchmarks.md.
var usualBoot = struct{ least, most time.Duration }{2 * time.Minute, 4 * time.Minute}

// What a machine does until its first boot is done.
const (
	booting  = "boots"
	installs = "installs packages and starts its services"
)

// ranBeforeText says why it is not told how long a first boot takes.
const ranBeforeText = "it ran before"

var (
	noAnswer = regexp.MustCompile(`no route to host|connection refused|no answer in time|host is down|network is unreachable|i/o timeout|context deadline exceeded`)
	number   = regexp.MustCompile(`(^|[ (])\d+`)
)

// firstBoot is what is waited for as one thing.
var firstBoot = []string{booting, installs}

// isDue reports whether a line is to be shown: it is about something else, or
// was shown a while ago.
func (of *waited) isDue() bool {
	now, kind := time.Now(), of.now()
	at, was := of.kinds[kind]
	of.isNew = kind != of.kind
	switch {
	case was && now.Sub(at.last) < again: // it may come and go
	case of.isNew && slices.Contains(firstBoot, kind) && slices.Contains(firstBoot, of.kind):
		at.since = of.since
	default:
		at.since = now
	}
	of.kind, of.since, at.last = kind, at.since, now
	due := !was || now.Sub(at.shown) >= again
	if due {
		at.shown = now
	}
	of.kinds[kind] = at
	return due
}

// now is what kind of thing is missing: numbers and the reasons for which
// nothing answers change all the time.
func (of *waited) now() string {
	switch text := strings.Join(of.lines, "; "); {
	case of.silent != "":
		return booting
	case of.stage == installs, strings.Contains(text, neverApplied):
		return installs
	default:
		return "missing: " + number.ReplaceAllString(noAnswer.ReplaceAllString(text+of.stage, ""), "$1")
	}
}

// line is what is shown of a machine.
func (of *waited) line(name string, ranBefore bool) string {
	text, usual := strings.Join(of.lines, "; "), ""
	switch kind := of.now(); {
	case kind == booting && ranBefore:
		text = "does not answer: " + of.silent
	case kind == booting:
		text, usual = "does not answer: "+of.silent, "a first boot usually takes "
	case kind == installs:
		text, usual = installs, "usually "
	case of.stage != "":
		text += "; " + of.stage
	case noAnswer.MatchString(text) && time.Since(of.since) >= longestBoot:
		text += "; its machine answers: `systemctl --failed` there shows which service does not run, and `journalctl -u` of it why"
	}
	var times []string
	if took := time.Since(of.since); took >= time.Minute {
		times = append(times, minutes(took)+" min")
	}
	if usual != "" {
		times = append(times, fmt.Sprintf("%s%s to %s min", usual, minutes(usualBoot.least), minutes(usualBoot.most)))
	}
	if of.now() == booting && ranBefore {
		times = append(times, ranBeforeText)
	}
	if name != "" {
		text = name + ": " + text
	}
	if len(times) > 0 {
		text += " (" + strings.Join(times, "; ") + ")"
	}
	return text
}

func minutes(d time.Duration) string { return fmt.Sprint(int(d.Minutes())) }
