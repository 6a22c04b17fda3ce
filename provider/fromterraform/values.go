package fromterraform

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// values are the attributes of a resource, or of a block in it. What is missing, or of
// another type than is asked for, is zero.
type values map[string]any

func (v values) text(name string) string {
	text, _ := v[name].(string)
	return text
}

// number is a whole number.
func (v values) number(name string) (int64, bool) {
	number, is := v[name].(json.Number)
	if !is {
		return 0, false
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	return n, err == nil
}

// blocks are the elements of a list of objects.
func (v values) blocks(name string) (all []values) {
	list, _ := v[name].([]any)
	for _, each := range list {
		if block, is := each.(map[string]any); is {
			all = append(all, block)
		}
	}
	return all
}

// texts are the elements of a list of strings.
func (v values) texts(name string) (all []string) {
	list, _ := v[name].([]any)
	for _, each := range list {
		if text, is := each.(string); is && text != "" {
			all = append(all, text)
		}
	}
	return all
}

// natural compares so that machine-2 comes before machine-10.
func natural(a, b string) int {
	for a != "" && b != "" {
		m, restOfA := leading(a)
		n, restOfB := leading(b)
		if m != "" && n != "" {
			m, n = strings.TrimLeft(m, "0"), strings.TrimLeft(n, "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); c != 0 {
				return c
			}
			a, b = restOfA, restOfB
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// leading are the digits at the beginning of s, and the rest.
func leading(s string) (digits, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	return s[:len(s)-len(rest)], rest
}

// line is s on one line of a terminal or a comment, without what these obey.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
