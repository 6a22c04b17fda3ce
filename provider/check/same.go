package check

import "slices"

// SameTexts reports whether two lists have the same texts, in any order.
func SameTexts(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
