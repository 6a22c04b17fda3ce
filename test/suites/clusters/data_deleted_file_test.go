package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDataInDeletedFile has somebody delete the data volume of a member whose machine runs on: it has its
// data in the deleted file, and the next volume would have the id of the last one. Nothing is made while the
// cluster would lose its only data, or its quorum.
func TestDataInDeletedFile(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"one": 1, "two": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, named(n)...)
			c.Up()
			c.writeAll(t)
			last := named(n)[n-1]
			machine := c.machineID(last)
			c.machines.RunOn(last)
			c.World.Remove("Volume", last+"-data.qcow2")
			refused := last + " runs, but its data are on a volume that was deleted or is to be replaced, and are lost with its machine"
			for _, args := range [][]string{{"--refresh"}, {"--replace", domain(last)}, {}} {
				assert.Contains(t, c.PreviewFails(args...).Diagnostics, refused)
				assert.Contains(t, c.UpFails(args...).Diagnostics, refused)
			}
			assert.Equal(t, machine, c.machineID(last))
			c.hasAll(t)
			c.change(func(o *options) { o.members = named(n + 2) })
			c.Up()
			c.hasAll(t)
			assert.True(t, c.Up().Unchanged())
		})
	}
}
