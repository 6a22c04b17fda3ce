package check

import (
	"strings"
	"time"
)

// Moment requires a time that means the same everywhere.
func Moment(s string) string {
	if _, err := ParseMoment(s); err != nil {
		return not("a time with its zone, as in 2026-11-22T14:32:00Z or 2026-11-22T15:32:00+01:00", s)
	}
	return ""
}

// ParseMoment reads a time with its zone; there may be a blank in the place of its T.
func ParseMoment(s string) (time.Time, error) {
	return time.Parse(time.RFC3339Nano, strings.Replace(s, " ", "T", 1))
}
