package check

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// calendarOf are the shorthands of systemd, written out.
var calendarOf = map[string]string{
	"minutely": "*-*-* *:*", "hourly": "*-*-* *:00", "daily": "*-*-*", "weekly": "Mon", "monthly": "*-*-1", "quarterly": "*-1,4,7,10-1",
	"semiannually": "*-1,7-1", "biannually": "*-1,7-1", "yearly": "*-1-1", "annually": "*-1-1",
}

// lastYear is the last one that systemd looks at.
const firstYear, lastYear = 1970, 2199

type set = map[int]bool

// moments are those of a calendar expression.
type moments struct {
	weekdays, years, months, days set
	fromEnd                       bool  // days are counted from the end of their month
	seconds                       []int // of a day, in order
	zone                          *time.Location
}

// parseCalendar reads what Schedule takes. Packages in Go that read such expressions, like that of
// resticprofile, know neither time zones nor days from the end of a month. Where there is no day to a
// time it is each one, and where there is no time to a day it is midnight.
func parseCalendar(s string) (m moments, ok bool) {
	m = moments{weekdays: span(0, 6, 1), years: span(firstYear, lastYear, 1), months: span(1, 12, 1), days: span(1, 31, 1), zone: time.UTC}
	words, ok := strings.Fields(s), true
	if len(words) > 0 && Matches(everyNamed, words[0]) {
		name := strings.ReplaceAll(strings.ToLower(words[0]), "-", "")
		words = append(strings.Fields(calendarOf[name]), words[1:]...)
	}
	clock := "0:0:0"
	for i, word := range words {
		switch {
		case strings.Contains(word, ":"):
			clock = word
		case Matches(weekdays, word):
			m.weekdays, ok = daysOfWeek(word)
		case Matches(dates, word):
			ok = m.date(word) && ok
		case i > 0:
			zone, err := zoneCalled(word)
			if err != nil {
				return m, false
			}
			m.zone = zone
		}
	}
	parts := append(strings.Split(clock, ":"), "0")
	h, okHours := numbersIn(parts[0], 0, 23, false)
	min, okMinutes := numbersIn(parts[1], 0, 59, false)
	sec, okSeconds := numbersIn(parts[2], 0, 59, false)
	for hour := range h {
		for minute := range min {
			for second := range sec {
				m.seconds = append(m.seconds, hour*3600+minute*60+second)
			}
		}
	}
	slices.Sort(m.seconds)
	return m, ok && okHours && okMinutes && okSeconds
}

func (m *moments) date(word string) bool {
	var ok, okMonths, okYears bool
	at := strings.LastIndexAny(word, "-~")
	days, most := word[at+1:], 31
	if m.fromEnd = word[at] == '~' && days != "*"; m.fromEnd {
		most = 28 // systemd takes no more of them
	}
	m.days, ok = numbersIn(days, 1, most, m.fromEnd)
	year, month, has := strings.Cut(word[:at], "-")
	if !has {
		year, month = "*", year
	}
	m.months, okMonths = numbersIn(month, 1, 12, false)
	m.years, okYears = numbersIn(year, firstYear, lastYear, false)
	return ok && okMonths && okYears
}

// comes reports whether there is one of the moments after now.
func (m moments) comes(now time.Time) bool {
	now = now.In(m.zone)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	passed := now.Hour()*3600 + now.Minute()*60 + now.Second()
	for _, year := range slices.Sorted(maps.Keys(m.years)) {
		for month := range m.months {
			for day := 1; day <= daysIn(year, month); day++ {
				at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
				if at.Before(today) || at.Equal(today) && m.seconds[len(m.seconds)-1] <= passed || !m.weekdays[int(at.Weekday())] {
					continue
				}
				if m.days[day] && !m.fromEnd || m.days[daysIn(year, month)+1-day] && m.fromEnd {
					return true
				}
			}
		}
	}
	return false
}

// every is the shortest time between two of the moments, if all days are some.
func (m moments) every() time.Duration {
	least := 86400 + m.seconds[0] - m.seconds[len(m.seconds)-1]
	for i, at := range m.seconds[1:] {
		least = min(least, at-m.seconds[i])
	}
	return time.Duration(least) * time.Second
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func span(from, to, step int) set {
	all := set{}
	for ; from <= to; from += step {
		all[from] = true
	}
	return all
}

// numbersIn are those of a part like 1..5/2,7. A step without an end goes on to the most, or down
// to the least; there must be room for one. Systemd takes no steps from *.
func numbersIn(s string, least, most int, down bool) (set, bool) {
	if s == "*" {
		return span(least, most, 1), true
	}
	all := set{}
	for item := range strings.SplitSeq(s, ",") {
		body, by, stepped := strings.Cut(item, "/")
		first, last, ranged := strings.Cut(body, "..")
		from, err := number(first, least)
		to, step, room := from, 1, true
		if stepped {
			step = atoi(by)
		}
		switch {
		case err != nil || step < 1:
			return nil, false
		case ranged:
			to, err = number(last, least)
		case stepped && down:
			room = from-step >= least
			from, to = least+(from-least)%step, from
		case stepped:
			room = from+step <= most
			to = most
		}
		if err != nil || !room || from < least || from > to || to > most {
			return nil, false
		}
		maps.Copy(all, span(from, to, step))
	}
	return all, len(all) > 0
}

// number is one of a part whose least is this: a year may have two digits.
func number(s string, least int) (int, error) {
	n, err := strconv.Atoi(s)
	switch {
	case least == firstYear && n < 70:
		n += 2000
	case least == firstYear && n < 100:
		n += 1900
	}
	return n, err
}

// atoi is a number, or 0.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// daysOfWeek are those of a part like Mon..Fri,Sun. A week begins on Monday.
func daysOfWeek(s string) (set, bool) {
	number := func(name string) int {
		return slices.Index([]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, strings.ToLower(name)[:3])
	}
	all := set{}
	for item := range strings.SplitSeq(s, ",") {
		first, last, ranged := strings.Cut(strings.Replace(item, "-", "..", 1), "..")
		from := number(first)
		to := from
		if ranged {
			to = number(last)
		}
		if from > to {
			return nil, false
		}
		for day := from; day <= to; day++ {
			all[(day+1)%7] = true
		}
	}
	return all, true
}
