package check

import "time"

// ParseDay reads a day, or a time with its zone.
func ParseDay(s string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day, nil
	}
	return ParseMoment(s)
}

// ahead is how far the clocks of some are before UTC: a day begins there first.
const ahead = 14 * time.Hour

// DayPast requires a day that has begun somewhere, or a time that has passed, but for clocks that differ a little.
func DayPast(s string, now time.Time) string {
	day, err := ParseDay(s)
	switch {
	case err != nil:
		return not("a day, as in 2026-11-22, or a time with its zone, as in 2026-11-22T14:32:00Z", s)
	case len(s) == len(time.DateOnly) && day.After(now.Add(ahead)), len(s) > len(time.DateOnly) && day.After(now.Add(time.Hour)):
		return "must not be in the future, as is " + Quote(s)
	}
	return ""
}
