package check

// The parts of a calendar expression: https://www.freedesktop.org/software/systemd/man/latest/systemd.time.html#Calendar%20Events
const (
	everyNamed = `minutely|hourly|daily|weekly|monthly|quarterly|semiannually|yearly|annually`
	weekday    = `(?i:mon(day)?|tue(sday)?|wed(nesday)?|thu(rsday)?|fri(day)?|sat(urday)?|sun(day)?)`
	weekdays   = weekday + `((,|\.\.)` + weekday + `)*`
	numbers    = `(\*|\d{1,4}(\.\.\d{1,4})?)(/\d{1,4})?(,\d{1,4}(\.\.\d{1,4})?(/\d{1,4})?)*`
	dates      = `(` + numbers + `-)?` + numbers + `[-~]` + numbers
	hours      = `(\*|([01]?\d|2[0-3])(\.\.([01]?\d|2[0-3]))?)(/\d{1,2})?(,([01]?\d|2[0-3]))*`
	sixtieths  = `(\*|[0-5]?\d(\.\.[0-5]?\d)?)(/\d{1,2})?(,[0-5]?\d)*`
	times      = hours + `:` + sixtieths + `(:` + sixtieths + `)?`
	timeZone   = `UTC|[A-Z][A-Za-z_]+(/[A-Za-z_+-]+)+`
	calendar   = `(` + everyNamed + `|` + weekdays + `( ` + dates + `)?( ` + times + `)?|` + dates + `( ` + times + `)?|` + times + `)( (` + timeZone + `))?`
)

// Schedule requires a calendar expression of systemd's timers.
func Schedule(s string) string {
	if !Matches(calendar, s) {
		return not("a calendar expression of systemd, such as daily, weekly, *-*-* 02:30:00 or Sun 03:00", s)
	}
	return ""
}
