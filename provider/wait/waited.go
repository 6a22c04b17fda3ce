package wait

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// waited is what is known of a machine as long as something is missing there.
type waited struct {
	kind    string // of what is missing, and since when
	since   time.Time
	isNew   bool // since the last look
	said    map[string]time.Time
	lines   []string
	stage   string // as the machine tells
	silent  string // why it tells nothing
	asked   time.Time
	nothing time.Time // since when nothing answers there
	hinted  bool
}

// again is until a line that has not changed is shown again.
const again = time.Minute

// usualBoot is how long a first boot takes, with the packages: from the fastest
// machines alone to the slowest cluster of docs/benchmarks.md.
var usualBoot = struct{ least, most time.Duration }{2 * time.Minute, 4 * time.Minute}

// What a machine does until its first boot is done.
const (
	booting  = "boots"
	installs = "boots and installs packages"
)

var (
	noAnswer = regexp.MustCompile(`no route to host|connection refused|no answer in time|host is down|network is unreachable|i/o timeout|context deadline exceeded`)
	number   = regexp.MustCompile(`(^|[ (])\d+`)
)

// isDue reports whether a line is to be shown: it is about something else, or
// was shown a while ago.
func (of *waited) isDue() bool {
	now, kind := time.Now(), of.now()
	of.isNew = kind != of.kind
	if of.isNew {
		if !strings.HasPrefix(kind, booting) || !strings.HasPrefix(of.kind, booting) {
			of.since = now
		}
		of.kind = kind
	}
	if last, was := of.said[kind]; was && now.Sub(last) < again {
		return false
	}
	of.said[kind] = now
	return true
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
		return number.ReplaceAllString(noAnswer.ReplaceAllString(text+of.stage, ""), "$1")
	}
}

// line is what is shown of a machine.
func (of *waited) line(name string) string {
	text, usual := strings.Join(of.lines, "; "), ""
	switch kind := of.now(); {
	case kind == booting:
		text, usual = "does not answer: "+of.silent, "a first boot usually takes "
	case kind == installs:
		text, usual = installs, "usually "
	case of.stage != "":
		text += "; " + of.stage
	}
	var times []string
	if took := time.Since(of.since); took >= time.Minute {
		times = append(times, minutes(took)+" min")
	}
	if usual != "" {
		times = append(times, fmt.Sprintf("%s%s to %s min", usual, minutes(usualBoot.least), minutes(usualBoot.most)))
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
