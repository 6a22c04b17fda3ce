package guest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const earlier, later = "2026-10-11T00:00:00Z", "2026-11-22T00:00:00Z"

func TestDated(t *testing.T) {
	t.Parallel()
	a, b := Hash("a"), Hash("b")
	for _, c := range []struct {
		what, before, now string
		unchanged         bool
	}{
		{"the same day", Dated(a, later), Dated(a, later), true},
		{"a later one", Dated(a, earlier), Dated(a, later), false},
		{"an earlier one", Dated(a, later), Dated(a, earlier), true},
		{"the first", a, Dated(a, earlier), false},
		{"none any more", Dated(a, later), a, true},
		{"another by an earlier one", Dated(a, later), Dated(b, earlier), false},
		{"another by none", Dated(a, later), b, false},
	} {
		assert.Equal(t, c.unchanged, Unchanged(c.before, c.now), c.what)
	}
	assert.True(t, IsDated(Dated(a, later)))
	assert.False(t, IsDated(a))
	assert.False(t, IsSized(Dated(a, later)))
}

// TestRestartsOfAPatchDay has others restart for a later day, and for no other program of it.
func TestRestartsOfAPatchDay(t *testing.T) {
	t.Parallel()
	on := func(day, program string) State {
		s := State{Files: []File{Public("/etc/db.conf", "a")}, Services: []Service{{Name: "db.service", RestartOn: []string{"/etc/db.conf"}}}}
		if day != "" {
			s.Add(State{
				Files:    []File{Public("/etc/day", day), Unit("days.service", program)},
				Services: []Service{{Name: "days.service", RestartOn: []string{"/etc/day"}, RestartsOthers: day, Means: PatchDay, ReloadMeans: UpgradesChange}},
			})
		}
		return s
	}
	restarts := func(before, now State) bool {
		return !Unchanged(before.Restarts()["db.service"], now.Restarts()["db.service"])
	}
	none, first, second, another := on("", ""), on(earlier, "a"), on(later, "a"), on(later, "b")
	assert.True(t, restarts(none, first))
	assert.True(t, restarts(first, second))
	assert.False(t, restarts(second, first))
	assert.False(t, restarts(second, none))
	assert.False(t, restarts(second, another))
	assert.Equal(t, none.Restarts()["db.service"], strings.Fields(first.Restarts()["db.service"])[0], "machines that have no day yet are as they were")
	assert.NotContains(t, first.Restarts()["days.service"], earlier)

	day := Restart + PatchDay
	assert.True(t, GoesBack(second.Effects()[day], first.Effects()[day]))
	assert.Equal(t, second.Effects()[day], another.Effects()[day])
	assert.NotEqual(t, second.Effects()[Live+UpgradesChange], another.Effects()[Live+UpgradesChange])
}
