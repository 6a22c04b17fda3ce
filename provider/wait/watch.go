package wait

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// Machine is one that a wait is for, and the port of its service.
type Machine struct {
	Name, IP string
	Port     int
}

// watch shows what a wait is for: a line for each machine when it changes, and
// else at most once in a while, with how long that has taken.
type watch struct {
	For
	ask func(ctx context.Context, ip string) (stage, silent string)

	all    map[string]*waited // by name; "" is what is missing of no machine
	latest string             // whose line was shown last
}

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

const (
	again    = time.Minute      // until a line that has not changed is shown again
	askEvery = 10 * time.Second // a machine whose service does not answer
)

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

// show says what has changed, a line for each machine. The last one names the
// other machines: a terminal shows no more than that.
func (w *watch) show(ctx context.Context, missing string) {
	w.sort(missing)
	w.askSilent(ctx)
	var names, due []string
	for _, name := range w.names() {
		of := w.all[name]
		if len(of.lines) == 0 {
			of.kind = ""
			continue
		}
		names = append(names, name)
		if of.isDue() {
			due = append(due, name)
		}
	}
	if len(names) > 1 && names[0] == "" && !w.all[""].isNew { // the machines say how long
		due = slices.DeleteFunc(due, func(name string) bool { return name == "" })
	}
	if len(due) == 0 && !slices.Contains(names, w.latest) { // what is shown is over
		due = names[len(names)-1:]
	}
	for i, name := range due {
		line := w.all[name].line(name)
		if i == len(due)-1 {
			line += also(names, name)
		}
		w.latest = name
		w.say(ctx, line)
	}
	if text := w.hint(longestBoot); text != "" && w.Say == nil && w.isNew() {
		p.GetLogger(ctx).Warning(text)
	}
}

func (w *watch) say(ctx context.Context, line string) {
	if w.Say != nil {
		w.Say(line)
		return
	}
	p.GetLogger(ctx).InfoStatus("waiting: " + line)
}

// names are those of which something may be missing, in the program's order.
func (w *watch) names() []string {
	names := []string{""}
	for _, m := range w.Machines {
		if !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// sort gives each line that is missing to the machine that it is of.
func (w *watch) sort(missing string) {
	if w.all == nil {
		w.all = map[string]*waited{}
	}
	for _, name := range w.names() {
		if w.all[name] == nil {
			w.all[name] = &waited{said: map[string]time.Time{}}
		}
		w.all[name].lines = nil
	}
	for line := range strings.SplitSeq(missing, "\n") {
		name, text := w.of(line)
		if of := w.all[name]; text != "" && !slices.Contains(of.lines, text) {
			of.lines = append(of.lines, text)
		}
	}
}

// of is the machine that a line is of, which it names first, or its address, and
// what it says of it.
func (w *watch) of(line string) (name, text string) {
	for _, m := range w.Machines {
		for _, end := range []string{": ", " "} {
			if text, is := strings.CutPrefix(line, m.Name+end); is {
				return m.Name, text
			}
		}
	}
	address, text, _ := strings.Cut(line, ": ")
	ip, _, err := net.SplitHostPort(address)
	for _, m := range w.Machines {
		if err == nil && ip == m.IP {
			return m.Name, text
		}
	}
	return w.Of, line
}

// askSilent asks each machine whose service does not answer how far it is.
func (w *watch) askSilent(ctx context.Context) {
	var group fault.Group
	for _, m := range w.Machines {
		of := w.all[m.Name]
		if !noAnswer.MatchString(strings.Join(of.lines, "\n")) {
			of.stage, of.silent, of.nothing, of.asked = "", "", time.Time{}, time.Time{}
			continue
		}
		if time.Since(of.asked) < askEvery {
			continue
		}
		of.asked = time.Now()
		group.Go(func() {
			of.stage, of.silent = w.ask(ctx, m.IP)
			switch {
			case of.silent == "":
				of.nothing = time.Time{}
			case of.nothing.IsZero():
				of.nothing = of.asked
			}
		})
	}
	group.Wait()
}

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

// also names the other machines that are waited for.
func also(names []string, shown string) string {
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" || name == shown })
	if len(others) == 0 {
		return ""
	}
	return "; also for " + strings.Join(others, ", ")
}
