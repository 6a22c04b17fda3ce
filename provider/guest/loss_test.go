package guest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoss(t *testing.T) {
	t.Parallel()
	const root, data = OnRoot + " in the pool a" + NoDataVolume, OnDataVolume + "x in the pool a"
	for _, c := range []struct{ was, now, want string }{
		{data, data, "deletes the data of one (the data volume x in the pool a)"},
		{data, root, "deletes the data of one (the data volume x in the pool a)"},
		{data + Kept, data, "leaves behind the data of one (the data volume x in the pool a, which itself stays)"},
		{root, root, "deletes the data of one (its root volume in the pool a: it has no data volume)"},
		{root, "", "deletes the data of one (its root volume in the pool a: it has no data volume)"},
		{root, data, "leaves behind the data of one (its root volume in the pool a, where the new data volume hides them until the machine is rebuilt)"},
		{OnRoot + NoDataVolume, data + Kept, "leaves behind the data of one (its root volume, where the new data volume hides them until the machine is rebuilt)"},
		{"", data, "deletes the data of one"},
	} {
		l := Stored{"a", c.was}.Loss(Stored{"b", c.now})
		require.NotNil(t, l)
		assert.Equal(t, c.want, l.Of("one"), c.was+" "+c.now)
	}
	for _, c := range []struct{ was, now string }{{"a", "a"}, {"", "b"}, {"a", ""}, {Sized(Hash("a"), 1, Hash("b")), Sized(Hash("a"), 2, Hash("c"))}} {
		assert.Nil(t, Stored{c.was, data}.Loss(Stored{c.now, data}), c)
	}
}

func TestLossOrGrowth(t *testing.T) {
	t.Parallel()
	const earlier, on = "0123456789abcdef", "the data volume one-data.qcow2 in the pool default"
	sized := Sized(Hash("a"), 2, Hash("b"))
	or := func(was, now, on, next string) string { return Stored{was, on}.Loss(Stored{now, next}).Or }
	assert.Equal(t, ". If only the volume's size differs: run `pulumi up` with this release and the former size first, then grow it", or(earlier, sized, on, on))
	assert.NotEmpty(t, or(earlier, sized, "", on), "an earlier release did not say on what")
	assert.Empty(t, or(earlier, sized, "the data volume one-data.qcow2 in the pool other", on))
	assert.Contains(t, or(earlier, Sized(Hash("a"), 0, Hash("b")), on, on), "If only the SSH key or DNS servers differ")
	assert.Empty(t, or(sized, Sized(Hash("b"), 2, Hash("c")), on, on))
	assert.Empty(t, or(sized, earlier, on, on))
}
