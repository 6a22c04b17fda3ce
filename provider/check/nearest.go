package check

import (
	"regexp"
	"strings"
)

const guess = " Did you mean "

// DidYouMean ends a reason that shows a value with what was likely meant.
func DidYouMean(near string) string { return guess + near + "?" }

// hints are what a reason ends in that is made of the value: another name, or the number in another unit.
var hints = regexp.MustCompile(`(?s)(` + guess + `|: [A-Za-z0-9]+ (was|were) meant\?).*`)

// WithoutGuess is a reason without that: of a secret it would tell most.
func WithoutGuess(reason string) string { return hints.ReplaceAllString(reason, "") }

// Nearest is the name that another is likely a slip of, or "".
func Nearest(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		d := distance(strings.ToLower(name), strings.ToLower(k))
		if d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// distance is how many characters to add, drop or change to get from a to b.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			cost := diagonal
			if from[i] != to[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
