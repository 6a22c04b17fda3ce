package clusters

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDatabaseLoadBalancersOff has load balancers change while the last of them is
// frozen, and while both lead nowhere: the frozen one comes first.
func TestDatabaseLoadBalancersOff(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.Up()
	d.machines.Freeze("lb-2")
	d.change(func(o *databaseOptions) { o.image = "debian-14.qcow2" })
	order := databaseOrder(d.Up())
	assert.Less(t, slices.Index(order, "create-replacement Domain lb-2-domain"), slices.Index(order, "delete-replaced Domain lb-1-domain"))
	assert.True(t, d.Up().Unchanged())
	d.machines.Off("lb-1")
	d.machines.Off("lb-2")
	d.change(func(o *databaseOptions) { o.image = "debian-13.qcow2" })
	d.Up()
	assert.True(t, d.Up().Unchanged())
}
