package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSameTexts compares lists whatever their order, and leaves it as it is.
func TestSameTexts(t *testing.T) {
	t.Parallel()
	a := []string{"b", "a", "b"}
	assert.True(t, SameTexts(a, []string{"a", "b", "b"}))
	assert.Equal(t, []string{"b", "a", "b"}, a)
	assert.False(t, SameTexts(a, []string{"a", "b"}))
	assert.False(t, SameTexts(a, []string{"a", "a", "b"}))
	assert.True(t, SameTexts(nil, []string{}))
}
