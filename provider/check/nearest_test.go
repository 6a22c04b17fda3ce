package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestNearestIsAtMostTwoSlipsAway(t *testing.T) {
	t.Parallel()
	known := []string{"shared_buffers", "wal_buffers", "ip"}
	assert.Equal(t, "shared_buffers", check.Nearest("shared_bufers", known))
	assert.Equal(t, "shared_buffers", check.Nearest("Shared-Buffer", known))
	assert.Empty(t, check.Nearest("shared_buf", known))
	assert.Empty(t, check.Nearest("xy", known), "a name of two letters")
}
