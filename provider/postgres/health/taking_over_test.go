package health

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// TestTakenOverWithTheLastData has no other node be able to give its data to the machine of one that is taken over.
func TestTakenOverWithTheLastData(t *testing.T) {
	t.Parallel()
	external, most := true, 0
	streams := answer{status: status{State: running, Replication: []sender{{"b", streaming}}}}
	for name, c := range map[string]struct {
		leader  string
		b       answer
		on      string
		refuses bool
	}{
		"the leader, and one that streams":                {leader: "a", b: answer{status: status{State: running}}},
		"the leader, and one that is off":                 {leader: "a", b: answer{err: errors.New("connection refused")}, refuses: true},
		"the leader, and one that is frozen":              {leader: "a", b: answer{err: errors.New("context deadline exceeded")}, refuses: true},
		"one that does not lead, and is off":              {leader: "b", b: answer{status: status{State: running}}},
		"the leader, whose data volume stays, alone":      {leader: "a", b: answer{err: errors.New("connection refused")}, on: guest.Kept},
		"the leader, whose data volume is another, alone": {leader: "a", b: answer{err: errors.New("connection refused")}, on: "the volume data", refuses: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &gate{HealthArgs: HealthArgs{
				Nodes: []Node{{Name: "a"}, {Name: "b", External: &external}}, MaximumLag: &most, Plan: &Plan{Volumes: map[string]string{"a": c.on}},
			}}
			g.old.Nodes = []Node{{Name: "a", External: &external}, {Name: "b", External: &external}}
			g.last = view{cluster: &cluster{Members: []member{{Name: "a"}, {Name: "b"}}}, answers: map[string]answer{"a": streams, "b": c.b}}
			if err := g.isLast(c.leader); c.refuses {
				require.ErrorContains(t, err, "a is the only node that has the data")
			} else {
				require.NoError(t, err)
			}
			g.old.Nodes[0].External = nil
			require.NoError(t, g.isLast(c.leader), "it was ours before")
		})
	}
}
