package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRanBefore tells members whose machines are as they were from those that are new or made anew.
func TestRanBefore(t *testing.T) {
	t.Parallel()
	all, quorum, other := All, Quorum, "etcd-2"
	seen := map[string]string{"etcd-1": "a1", "etcd-2": ""}
	machines := func(text string) map[string]string { return map[string]string{"machines": text} }
	for name, c := range map[string]struct {
		args   HealthArgs
		before *HealthState
		want   bool
	}{
		"a gate that is new":              {HealthArgs{Require: &all}, nil, false},
		"the last gate, the same machine": {HealthArgs{Require: &all, Triggers: machines("map[etcd-1:m1 etcd-2:m3]")}, &HealthState{HealthArgs: HealthArgs{Triggers: machines("map[etcd-1:m1 etcd-2:m2]")}, MemberIDs: seen}, true},
		"the last gate, another machine":  {HealthArgs{Require: &all, Triggers: machines("map[etcd-1:m3 etcd-2:m2]")}, &HealthState{HealthArgs: HealthArgs{Triggers: machines("map[etcd-1:m1 etcd-2:m2]")}, MemberIDs: seen}, false},
		"the last gate, never seen":       {HealthArgs{Require: &all, Triggers: machines("map[etcd-1:m1]")}, &HealthState{HealthArgs: HealthArgs{Triggers: machines("map[etcd-1:m1]")}}, false},
		"the last gate, no id":            {HealthArgs{Require: &all, Triggers: machines("map[]")}, &HealthState{HealthArgs: HealthArgs{Triggers: machines("map[]")}, MemberIDs: seen}, false},
		"before a change of another":      {HealthArgs{Require: &quorum, Without: &other, Triggers: machines("r2")}, &HealthState{HealthArgs: HealthArgs{Triggers: machines("r1")}, MemberIDs: seen}, true},
		"a gate of a program, without":    {HealthArgs{Require: &all}, &HealthState{HealthArgs: HealthArgs{}, MemberIDs: seen}, false},
		"its machine is another one":      {HealthArgs{Require: &quorum, Triggers: map[string]string{"machine": "m2"}}, &HealthState{HealthArgs: HealthArgs{Triggers: map[string]string{"machine": "m1"}}, MemberIDs: seen}, false},
		"a gate of a program":             {HealthArgs{Require: &all, Triggers: map[string]string{"a": "1"}}, &HealthState{HealthArgs: HealthArgs{Triggers: map[string]string{"a": "1"}}, MemberIDs: seen}, true},
		"a gate of a program, triggered":  {HealthArgs{Require: &all, Triggers: map[string]string{"a": "2"}}, &HealthState{HealthArgs: HealthArgs{Triggers: map[string]string{"a": "1"}}, MemberIDs: seen}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, c.args.ranBefore("etcd-1", c.before))
			assert.False(t, c.args.ranBefore("etcd-2", c.before), "it was never seen in the cluster")
		})
	}
}

// TestPlaceRanBefore is the same of the place of one member.
func TestPlaceRanBefore(t *testing.T) {
	t.Parallel()
	now := MemberState{MemberArgs: MemberArgs{Triggers: map[string]string{"machine": "m1", "drive": "d2"}}}
	before := now
	before.Triggers = map[string]string{"machine": "m1", "drive": "d1"}
	assert.False(t, now.ranBefore(nil))
	assert.False(t, now.ranBefore(&before), "it never was in the cluster")
	before.MemberID = "a1"
	assert.True(t, now.ranBefore(&before), "its configuration is another, and its machine is not")
	before.Triggers["machine"] = "m0"
	assert.False(t, now.ranBefore(&before))
	now.Triggers, before.Triggers = map[string]string{"vm": "m2"}, map[string]string{"vm": "m1"}
	assert.False(t, now.ranBefore(&before), "what a program triggers it by is not known to be the machine")
}
