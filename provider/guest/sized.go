package guest

import (
	"regexp"
	"strconv"
	"strings"
)

// Sized is a hash of something on a volume that may grow: the hash without the volume's size, the size,
// and the hash with it, which states of earlier releases have.
func Sized(hash string, size int, formerly string) string {
	return strings.Join([]string{hash, strconv.Itoa(size), formerly}, " ")
}

// IsSized reports whether a text is one of Sized.
func IsSized(text string) bool { return sized.MatchString(text) }

// HashOf is the hash of a text, or the text if it is one of Sized.
func HashOf(text string) string {
	if IsSized(text) {
		return text
	}
	return Hash(text)
}

var sized = regexp.MustCompile(`^[0-9a-f]{16} [0-9]+ [0-9a-f]{16}$`)

// Unchanged reports whether two hashes are of the same, or of the same with a larger volume. The first may
// be of an earlier release.
func Unchanged(before, now string) bool {
	if !IsSized(before) || !IsSized(now) {
		return before == now || IsSized(now) && strings.HasSuffix(now, " "+before)
	}
	was, is := strings.Fields(before), strings.Fields(now)
	return was[0] == is[0] && (was[1] == is[1] || larger(was[1], is[1]))
}

// Grew reports whether two hashes are of the same with a larger volume.
func Grew(before, now string) bool { return IsSized(before) && before != now && Unchanged(before, now) }

func larger(before, now string) bool {
	was, notWas := strconv.Atoi(before)
	is, notIs := strconv.Atoi(now)
	return notWas == nil && notIs == nil && is > was
}
