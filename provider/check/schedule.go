package check

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // the zones, on any system
)

// The parts of a calendar expression: https://www.freedesktop.org/software/systemd/man/latest/systemd.time.html#Calendar%20Events
const (
	everyNamed = `(?i:minutely|hourly|daily|weekly|monthly|quarterly|(semi|bi)-?annually|yearly|annually)`
	weekday    = `(?i:mon(day)?|tue(sday)?|wed(nesday)?|thu(rsday)?|fri(day)?|sat(urday)?|sun(day)?)`
	someDays   = weekday + `((\.\.|-)` + weekday + `)?`
	weekdays   = someDays + `(,` + someDays + `)*`
	timeZone   = `[A-Z][A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*|(?i:UTC)`
)

var (
	dates    = `(` + years + `-)?` + months + `[-~]` + days
	times    = hours + `:` + minutes + `(:` + minutes + `)?`
	calendar = `(` + everyNamed + `|` + weekdays + `( +` + dates + `)?( +` + times + `)?|` + dates + `( +` + times + `)?|` + times + `)( (` + timeZone + `))?`
	years    = numbers(`\d{1,4}`)
	months   = numbers(`(0?[1-9]|1[0-2])`)
	days     = numbers(`(0?[1-9]|[12]\d|3[01])`)
	hours    = numbers(`([01]?\d|2[0-3])`)
	minutes  = numbers(`[0-5]?\d`)
)

// numbers are any, or some of these: alone, from one to another, and in steps.
func numbers(one string) string {
	some := one + `(\.\.` + one + `)?(/\d{1,4})?`
	return `(\*|` + some + `(,` + some + `)*)`
}

// Schedule requires a calendar expression of systemd's timers, of times that come.
func Schedule(s string) string { return schedule(s, time.Now()) }

func schedule(s string, now time.Time) string {
	if !Matches(calendar, s) {
		return notCalendar(s)
	}
	last := s[strings.LastIndex(s, " ")+1:]
	if Matches(timeZone, last) && last != s {
		if _, err := zoneCalled(last); err != nil {
			return "must have a time zone, as in 02:30 Europe/Berlin, not " + Quote(last)
		}
	}
	switch all, ok := parseCalendar(s); {
	case !ok:
		return notCalendar(s)
	case !all.comes(now):
		return "must have times that are still to come, and " + Quote(s) + " has none"
	}
	return ""
}

// zoneCalled is a time zone. UTC may be written in any case; what is local to one machine is no zone of another.
func zoneCalled(name string) (*time.Location, error) {
	switch {
	case strings.EqualFold(name, "UTC"):
		return time.UTC, nil
	case name == "Local":
		return nil, errors.New("no time zone")
	}
	return time.LoadLocation(name)
}

func notCalendar(s string) string {
	reason := not("a calendar expression of systemd, such as daily, weekly, *-*-* 02:30:00 or Sun 03:00", s)
	if strings.Contains(s, "*/") {
		reason += ": steps begin with a number, as in *:0/15"
	}
	return reason
}

// Often warns of a schedule that comes more often than is usual, and says why.
func (l *List) Often(path string, given *string, usual time.Duration, why string) {
	if given == nil || Schedule(*given) != "" {
		return
	}
	if all, _ := parseCalendar(*given); all.every() < usual {
		l.Add(path, "is %s, which may come every %s: %s. Every %s or less often is usual", Quote(*given), short(all.every()), why, short(usual))
	}
}

// short is a time in its largest whole unit.
func short(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
