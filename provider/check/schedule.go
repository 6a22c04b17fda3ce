package check

import (
	"strings"
	"time"
	_ "time/tzdata" // the zones, on any system
)

// The parts of a calendar expression: https://www.freedesktop.org/software/systemd/man/latest/systemd.time.html#Calendar%20Events
const (
	everyNamed = `minutely|hourly|daily|weekly|monthly|quarterly|semiannually|yearly|annually`
	weekday    = `(?i:mon(day)?|tue(sday)?|wed(nesday)?|thu(rsday)?|fri(day)?|sat(urday)?|sun(day)?)`
	weekdays   = weekday + `((,|\.\.)` + weekday + `)*`
	hours      = `(\*|([01]?\d|2[0-3])(\.\.([01]?\d|2[0-3]))?)(/\d{1,2})?(,([01]?\d|2[0-3]))*`
	sixtieths  = `(\*|[0-5]?\d(\.\.[0-5]?\d)?)(/\d{1,2})?(,[0-5]?\d)*`
	times      = hours + `:` + sixtieths + `(:` + sixtieths + `)?`
	timeZone   = `[A-Z][A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*`
)

var (
	dates    = `(` + years + `-)?` + months + `[-~]` + days
	calendar = `(` + everyNamed + `|` + weekdays + `( ` + dates + `)?( ` + times + `)?|` + dates + `( ` + times + `)?|` + times + `)( (` + timeZone + `))?`
	years    = numbers(`\d{1,4}`)
	months   = numbers(`(0?[1-9]|1[0-2])`)
	days     = numbers(`(0?[1-9]|[12]\d|3[01])`)
)

// numbers are any, or some of these: alone, from one to another, and in steps.
func numbers(one string) string {
	some := one + `(\.\.` + one + `)?`
	return `(\*|` + some + `)(/\d{1,4})?(,` + some + `(/\d{1,4})?)*`
}

// Schedule requires a calendar expression of systemd's timers.
func Schedule(s string) string {
	if !Matches(calendar, s) {
		return not("a calendar expression of systemd, such as daily, weekly, *-*-* 02:30:00 or Sun 03:00", s)
	}
	last := s[strings.LastIndex(s, " ")+1:]
	if Matches(timeZone, last) && last != s {
		if _, err := time.LoadLocation(last); err != nil {
			return "must have a time zone, as in 02:30 Europe/Berlin, not " + Quote(last)
		}
	}
	return ""
}
