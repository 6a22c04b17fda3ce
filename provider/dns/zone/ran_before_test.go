package zone

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRanBefore has servers known to have served only where a program names their machines.
func TestRanBefore(t *testing.T) {
	t.Parallel()
	ran := func(a HealthArgs, before *HealthState) bool { return a.waits(before).Machines[0].RanBefore }
	now := HealthArgs{Servers: []string{"10.0.0.1"}, Triggers: map[string]string{"machine": "m1"}}
	assert.False(t, ran(now, nil))
	assert.True(t, ran(now, &HealthState{HealthArgs: now}))
	assert.False(t, ran(now, &HealthState{HealthArgs: HealthArgs{Servers: now.Servers, Triggers: map[string]string{"machine": "m0"}}}))
	assert.False(t, ran(now, &HealthState{HealthArgs: HealthArgs{Servers: []string{"10.0.0.2"}, Triggers: now.Triggers}}))
	now.Triggers = nil
	assert.False(t, ran(now, &HealthState{HealthArgs: now}), "its machine may be another")
}
