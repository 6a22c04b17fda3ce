package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLoses(t *testing.T) {
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
	} {
		assert.Equal(t, c.want, Loses("one", Left(c.was, c.now)), c.was+" "+c.now)
	}
}
