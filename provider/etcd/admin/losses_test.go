package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// TestLossOrGrowth has a volume that may only be larger be told where the state has the hash of an earlier release.
func TestLossOrGrowth(t *testing.T) {
	t.Parallel()
	of := func(data string, names ...string) HealthArgs {
		a := HealthArgs{Data: map[string]string{}, Volumes: map[string]string{}}
		for _, name := range names {
			a.Members = append(a.Members, HealthMember{Name: name})
			a.Data[name], a.Volumes[name] = data, "the data volume "+name
		}
		return a
	}
	sized := func(text string) string { return guest.Sized(guest.Hash(text), 2, guest.Hash(text, "with it")) }
	const or = "If only the volume's size differs: run `pulumi up` with this release and the former size first, then grow it"
	for _, names := range [][]string{{"a"}, {"a", "b"}} {
		problems := of(sized("x"), names...).losses(of("0123456789abcdef", names...))
		require.Len(t, problems, len(names))
		assert.Contains(t, problems[0].String(), "this change deletes the data of a")
		assert.Contains(t, problems[0].String(), or)
		problems = of(sized("x"), names...).losses(of(sized("y"), names...))
		require.Len(t, problems, len(names))
		assert.NotContains(t, problems[0].String(), or)
	}
}
