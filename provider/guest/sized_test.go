package guest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSized(t *testing.T) {
	t.Parallel()
	sized := func(hash string, size int, formerly string) string { return Sized(Hash(hash), size, Hash(formerly)) }
	assert.False(t, IsSized("vm.swappiness = 1"))
	for _, c := range []struct {
		what, before, now string
		unchanged, grew   bool
	}{
		{"without a size", "a", "a", true, false},
		{"another without a size", "a", "b", false, false},
		{"the same", sized("a", 1, "x"), sized("a", 1, "x"), true, false},
		{"larger", sized("a", 9, "x"), sized("a", 10, "y"), true, true},
		{"smaller, which the plugin judges", sized("a", 10, "y"), sized("a", 9, "x"), true, false},
		{"another", sized("a", 1, "x"), sized("b", 1, "y"), false, false},
		{"another that is smaller", sized("a", 2, "y"), sized("b", 1, "x"), false, false},
		{"another that is larger", sized("a", 1, "x"), sized("b", 2, "y"), false, false},
		{"of a release that left out the size alone", sized("with a key", 1, "x"), sized("a", 1, "x"), true, false},
		{"of an earlier release", Hash("x"), sized("a", 1, "x"), true, false},
		{"of an earlier release, changed with this one", Hash("x"), sized("a", 2, "y"), false, false},
		{"to a provider of the user's own", sized("a", 1, "x"), Hash("x"), true, false},
		{"to a provider of the user's own, changed with that", sized("a", 1, "x"), Hash("y"), false, false},
	} {
		assert.Equal(t, c.unchanged, Unchanged(c.before, c.now), c.what)
		assert.Equal(t, c.grew, Grew(c.before, c.now), c.what)
	}
}
