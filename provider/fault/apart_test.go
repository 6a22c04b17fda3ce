package fault_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

func TestApart(t *testing.T) {
	t.Parallel()
	depth, err := fault.Apart(func() (int, error) {
		return runtime.Callers(0, make([]uintptr, 64)), errors.New("as it says")
	})
	require.EqualError(t, err, "as it says")
	const own = 4 // runtime.Callers, the function, Apart's and the start of the goroutine
	assert.Equal(t, own, depth, "calls that led here are on the stack")

	err = fault.Do(func() error {
		_, err := fault.Apart(func() (int, error) { panic("one") })
		return err
	})
	found, is := fault.In(err)
	require.True(t, is, err)
	assert.Contains(t, found.Detail(func(s string) string { return s }), "panic: one\n", "as it was said there")
}
