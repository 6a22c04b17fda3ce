package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestDayPast(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for day, want := range map[string]string{
		"2026-11-22":                "",
		"2024-02-29":                "",
		"2026-11-22T11:59:00Z":      "",
		"2026-11-22T13:30:00+02:00": "",
		"2026-11-23":                "", // where the sun rises first it is
		"2026-11-24":                `must not be in the future, as is "2026-11-24"`,
		"2026-11-22T14:00:00Z":      `must not be in the future, as is "2026-11-22T14:00:00Z"`,
		"2026-02-30":                `must be a day, as in 2026-11-22, or a time with its zone, as in 2026-11-22T14:32:00Z, not "2026-02-30"`,
		"2026-11-22T14:00:00":       `must be a day, as in 2026-11-22, or a time with its zone, as in 2026-11-22T14:32:00Z, not "2026-11-22T14:00:00"`,
		"22.11.2026":                `must be a day, as in 2026-11-22, or a time with its zone, as in 2026-11-22T14:32:00Z, not "22.11.2026"`,
		"":                          `must be a day, as in 2026-11-22, or a time with its zone, as in 2026-11-22T14:32:00Z, not ""`,
	} {
		assert.Equal(t, want, check.DayPast(day, now), day)
	}
}
