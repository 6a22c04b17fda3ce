package check

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
)

// OriginPattern is what the name of a zone looks like where zones are kept: in
// small letters and without the final dot, so that there is one way to write it.
const (
	OriginPattern = originLabel + `(\.` + originLabel + `)*`
	originLabel   = `[a-z0-9_]([-a-z0-9_]{0,61}[a-z0-9_])?`
)

// UserName requires a name that Linux distributions take for a user.
func UserName(s string) string {
	if !Matches(`[a-z_][-a-z0-9_]{0,31}`, s) {
		return not("a user name: up to 32 of a-z, 0-9, _ and -, beginning with a letter or _", s)
	}
	return ""
}

// KeyPrefix requires what keys of etcd begin with: like a path, but not that of all.
func KeyPrefix(s string) string {
	if !Matches(`/[!-.0-~]+(/[!-.0-~]+)*/?`, s) {
		return "must begin with a slash, as in /zones/, and have no white space and no empty parts, not " + Quote(s)
	}
	return ""
}

// SHA256 wants a checksum in hexadecimal.
func SHA256(s string) string {
	if !Matches(`[0-9A-Fa-f]{64}`, s) {
		return not("a SHA-256 checksum of 64 hexadecimal digits", s)
	}
	return ""
}

// Positive requires more than zero.
func Positive(n int) string {
	if n < 1 {
		return fmt.Sprintf("must be 1 or more, not %d", n)
	}
	return ""
}

// Range requires a number from low to high.
func Range(n, low, high int) string {
	if n < low || n > high {
		return fmt.Sprintf("must be from %d to %d, not %d", low, high, n)
	}
	return ""
}

// Port requires the number of a TCP or UDP port.
func Port(n int) string { return Range(n, 1, 65535) }

// AbsolutePath requires a path from the root, without "..", "//" or a final slash.
func AbsolutePath(s string) string {
	if !path.IsAbs(s) || path.Clean(s) != s || strings.ContainsAny(s, "\x00\n") {
		return not("an absolute path", s)
	}
	return ""
}

// Duration requires a span of time of Go's notation, more than none.
func Duration(s string) string {
	if d, err := time.ParseDuration(s); err != nil || d <= 0 {
		return not(`a duration such as "30s" or "1h30m"`, s)
	}
	return ""
}

func not(wanted, found string) string {
	return "must be " + wanted + ", not " + Quote(found)
}

// Matches reports whether the whole of s matches a regular expression.
func Matches(pattern, s string) bool {
	whole, ready := compiled.Load(pattern)
	if !ready {
		whole = regexp.MustCompile(`\A(?:` + pattern + `)\z`)
		compiled.Store(pattern, whole)
	}
	return whole.(*regexp.Regexp).MatchString(s)
}

// compiled are the patterns that were used: a zone has thousands of names.
var compiled sync.Map
