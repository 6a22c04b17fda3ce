package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	var l check.List
	l.Passwords(
		check.Password{Path: "a", Text: text("x")}, check.Password{Path: "b", Text: text("eight-ch")}, check.Password{Path: "c", Text: text("sévén-c")},
		check.Password{Path: "d", Text: text("eight-ch")}, check.Password{Path: "e"}, check.Password{Path: "f"}, check.Password{Path: "g", Text: text("x"), Given: true},
	)
	var lines []string
	for _, p := range l {
		lines = append(lines, p.String())
	}
	assert.Equal(t, []string{
		"a: has fewer than 8 characters: it is soon guessed",
		"c: has fewer than 8 characters: it is soon guessed",
		"d: is the same as b: whoever learns one knows both",
		"g: is the same as a: whoever learns one knows both",
	}, lines)
}
