package guest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSized(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, before, now string
		unchanged, grew   bool
	}{
		{"without a size", "a", "a", true, false},
		{"another without a size", "a", "b", false, false},
		{"the same", Sized("a", 1, "x"), Sized("a", 1, "x"), true, false},
		{"larger", Sized("a", 9, "x"), Sized("a", 10, "y"), true, true},
		{"smaller", Sized("a", 10, "y"), Sized("a", 9, "x"), false, false},
		{"another", Sized("a", 1, "x"), Sized("b", 1, "y"), false, false},
		{"another that is larger", Sized("a", 1, "x"), Sized("b", 2, "y"), false, false},
		{"of an earlier release", "x", Sized("a", 1, "x"), true, false},
		{"of an earlier release, changed with this one", "x", Sized("a", 2, "y"), false, false},
		{"the volume goes", Sized("a", 1, "x"), "x", false, false},
	} {
		assert.Equal(t, c.unchanged, Unchanged(c.before, c.now), c.what)
		assert.Equal(t, c.grew, Grew(c.before, c.now), c.what)
	}
}
