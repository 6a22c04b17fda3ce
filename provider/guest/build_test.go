package guest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// TestAddKeepsOnce requires what two parts want alike only once. Two that differ
// stay two, for quorum-apply to refuse.
func TestAddKeepsOnce(t *testing.T) {
	t.Parallel()
	part := func(content string) guest.State {
		return guest.State{Packages: []guest.Package{{Name: "etcd-client"}}, Files: []guest.File{guest.Public("/shared", content)}}
	}
	var s guest.State
	s.Add(part("same"), part("same"))
	require.Len(t, s.Packages, 1)
	require.Len(t, s.Files, 1)
	s.Add(part("another"))
	require.Len(t, s.Files, 2)
}
