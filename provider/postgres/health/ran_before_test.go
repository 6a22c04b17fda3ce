package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRanBefore tells nodes and load balancers whose machines are as they were from those that are new or made anew.
func TestRanBefore(t *testing.T) {
	t.Parallel()
	nodes := []Node{{Name: "postgres-1"}, {Name: "postgres-2"}}
	one := "postgres-1"
	for name, c := range map[string]struct {
		now              HealthArgs
		was              HealthState
		first, balancers bool
	}{
		"a new cluster":                   {HealthArgs{Triggers: map[string]string{one: "m1", "haproxy-1": "b1"}}, HealthState{}, false, false},
		"all are as they were":            {HealthArgs{Triggers: map[string]string{one: "m1", "haproxy-1": "b1"}}, HealthState{Joined: []string{one}, Triggers: map[string]string{one: "m1", "haproxy-1": "b1", "seen": "a fault"}}, true, true},
		"the node is made anew":           {HealthArgs{Triggers: map[string]string{one: "m2", "haproxy-1": "b1"}}, HealthState{Joined: []string{one}, Triggers: map[string]string{one: "m1", "haproxy-1": "b1"}}, false, true},
		"the load balancer is":            {HealthArgs{Triggers: map[string]string{one: "m1", "haproxy-1": "b2"}}, HealthState{Joined: []string{one}, Triggers: map[string]string{one: "m1", "haproxy-1": "b1"}}, true, false},
		"of the node, as it was":          {HealthArgs{Node: &one, Triggers: map[string]string{"machine": "m1", DriveTrigger: "d2"}}, HealthState{Joined: []string{one}, Triggers: map[string]string{"machine": "m1", DriveTrigger: "d1"}}, true, false},
		"of the node, made anew":          {HealthArgs{Node: &one, Triggers: map[string]string{"machine": "m2"}}, HealthState{Joined: []string{one}, Triggers: map[string]string{"machine": "m1"}}, false, false},
		"before a load balancer changes":  {HealthArgs{OtherLoadBalancers: []LoadBalancer{{}}, Triggers: map[string]string{"rebuilds": "r2"}}, HealthState{Others: []LoadBalancer{{}}, Triggers: map[string]string{"rebuilds": "r1"}}, false, true},
		"before the first one is changed": {HealthArgs{OtherLoadBalancers: []LoadBalancer{{}}}, HealthState{}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.now.Nodes = nodes
			g := &gate{HealthArgs: c.now, old: c.was}
			assert.Equal(t, c.first, g.ranBefore(one))
			assert.False(t, g.ranBefore("postgres-2"), "it never joined")
			assert.Equal(t, c.balancers, g.balancersRanBefore())
		})
	}
}
