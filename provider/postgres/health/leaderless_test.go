package health

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestNobodyFoundsTheCluster counts from when all nodes answer, and none is at it: a restore takes
// long, and a machine that boots says nothing.
func TestNobodyFoundsTheCluster(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{HealthArgs: HealthArgs{Nodes: []Node{{Name: "postgres-1"}}}}
		looks := func(a answer) string {
			v := view{nodes: g.Nodes, answers: map[string]answer{"postgres-1": a}, cluster: &cluster{}, noConfig: true}
			g.noteIdle(v)
			lines := g.leaderless(v, "no node is the leader")
			return lines[len(lines)-1]
		}
		const nobody = "none is initialising the cluster"
		blank, restores := answer{status: status{State: "stopped"}}, answer{status: status{State: "running custom bootstrap script"}}
		silent := answer{err: errors.New("no answer in time")}
		time.Sleep(time.Hour)
		assert.NotContains(t, looks(blank), nobody, "it has just booted")
		time.Sleep(initialisingStarts)
		assert.NotContains(t, looks(restores), nobody)
		time.Sleep(time.Hour)
		assert.NotContains(t, looks(blank), nobody, "the restore has failed, and begins again")
		time.Sleep(initialisingStarts)
		assert.NotContains(t, looks(silent), nobody)
		assert.NotContains(t, looks(blank), nobody)
		time.Sleep(initialisingStarts + time.Second)
		assert.Contains(t, looks(blank), nobody)
	})
}
