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

// Unchanged reports whether two hashes are of the same, or of the same with a volume of another size: one that
// would be smaller is refused by the plugin, which knows what size it has. A hash in a state is of what was
// intended. The first may be of an earlier release.
func Unchanged(before, now string) bool {
	if !IsSized(before) || !IsSized(now) {
		return before == now || IsSized(now) && strings.HasSuffix(now, " "+before)
	}
	return strings.Fields(before)[0] == strings.Fields(now)[0]
}

// Grew reports whether two hashes are of the same with a larger volume.
func Grew(before, now string) bool {
	if !IsSized(before) || !IsSized(now) || !Unchanged(before, now) {
		return false
	}
	was, notWas := strconv.Atoi(strings.Fields(before)[1])
	is, notIs := strconv.Atoi(strings.Fields(now)[1])
	return notWas == nil && notIs == nil && is > was
}

// OrGrowth is what is said beside a loss of data where the two hashes may be of the same with a volume of another
// size: one of an earlier release does not tell. The data lie on the one volume, and then on the other.
func OrGrowth(before, now, volume, next string) string {
	if IsSized(before) || !IsSized(now) || volume != "" && volume != next {
		return ""
	}
	return ". If only the volume's size differs: run `pulumi up` with this release and the former size first, then grow it"
}
