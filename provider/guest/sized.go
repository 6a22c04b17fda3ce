package guest

import (
	"regexp"
	"strconv"
	"strings"
)

// Sized is a hash of something of which a part reaches a machine that runs: the hash without the size of its volume,
// SSH keys and DNS servers; that size, or 0; and the hash with all of it, which states of earlier releases have.
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

// Unchanged reports whether two hashes are of the same, or of the same but for what reaches a machine that runs: a
// volume that would be smaller is refused by the plugin, which knows what size it has. A hash in a state is of what
// was intended. The first may be of an earlier release, which left nothing out of it, or the size alone; and either of
// a machine behind a provider of the user's own, where a size is left in. Dated ones are unchanged also by an earlier day.
func Unchanged(before, now string) bool {
	if GoesBack(before, now) {
		return true
	}
	if !IsSized(before) || !IsSized(now) {
		return before == now || IsSized(now) && strings.HasSuffix(now, " "+before) || IsSized(before) && strings.HasSuffix(before, " "+now)
	}
	was, is := strings.Fields(before), strings.Fields(now)
	return was[0] == is[0] || was[2] == is[2]
}

// WithSize is one of Sized, of a volume of another size.
func WithSize(text, size string) string {
	parts := strings.Fields(text)
	return strings.Join([]string{parts[0], size, parts[2]}, " ")
}

// Grew reports whether two hashes are of the same with a larger volume.
func Grew(before, now string) bool {
	was, is, are := Sizes(before, now)
	return are && is > was
}

// Sizes are those in two hashes of the same, if both have one that is left out of the rest.
func Sizes(before, now string) (was, is int, are bool) {
	if !IsSized(before) || !IsSized(now) || !Unchanged(before, now) {
		return 0, 0, false
	}
	was, notWas := strconv.Atoi(strings.Fields(before)[1])
	is, notIs := strconv.Atoi(strings.Fields(now)[1])
	return was, is, notWas == nil && notIs == nil && was > 0 && is > 0
}
