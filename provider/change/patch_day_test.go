package change

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEarlierDay(t *testing.T) {
	t.Parallel()
	of := func(day string) settings {
		if day == "" {
			return settings{plain: map[string]string{"name": "a"}}
		}
		return settings{plain: map[string]string{patchDay: day}}
	}
	assert.Contains(t, earlierDay(of("2026-11-22"), of("2026-10-01")), "software.asOf is before 2026-11-22, which it was: packages never go back")
	assert.NotEmpty(t, earlierDay(of("2026-11-22T10:00:00Z"), of("2026-11-22T11:00:00+02:00")), "by the same clock")
	for _, c := range [][2]string{{"2026-11-22", "2026-11-22"}, {"2026-11-22", "2026-11-23"}, {"", "2026-11-22"}, {"2026-11-22", ""}, {"2026-11-22", "2026-11-22T08:00:00Z"}} {
		assert.Empty(t, earlierDay(of(c[0]), of(c[1])), c)
	}
}
