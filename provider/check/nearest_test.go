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

func TestWithoutGuess(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"is not known" + check.DidYouMean("memory"): "is not known",
		check.MemoryMiB.Check(100):                  "must be from 256 to 16777216 (16 TiB), in MiB, not 100 MiB",
		"2380 is of peers: 2379 was meant?":         "2380 is of peers",
		"must be 1: no guess":                       "must be 1: no guess",
	} {
		assert.Equal(t, want, check.WithoutGuess(reason))
	}
}
