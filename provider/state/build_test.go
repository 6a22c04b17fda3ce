package state_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/state"
)

// TestAddKeepsOnce wants what two parts want alike only once. Two that differ
// stay two, for quorum-apply to refuse.
func TestAddKeepsOnce(t *testing.T) {
	t.Parallel()
	part := func(content string) state.State {
		return state.State{Packages: []state.Package{{Name: "etcd-client"}}, Files: []state.File{state.Public("/shared", content)}}
	}
	var s state.State
	s.Add(part("same"), part("same"))
	require.Len(t, s.Packages, 1)
	require.Len(t, s.Files, 1)
	s.Add(part("another"))
	require.Len(t, s.Files, 2)
}
