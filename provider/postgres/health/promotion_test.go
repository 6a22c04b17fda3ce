package health

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestIsPromoted takes only a leader that is seen to accept writes for one: else a preview would be silent about a promotion.
func TestIsPromoted(t *testing.T) {
	t.Parallel()
	of := func(role string, a answer) view {
		return view{cluster: &cluster{Members: []member{{Name: "b", Role: role}}}, answers: map[string]answer{"b": a}}
	}
	primary, standby := answer{status: status{State: running, Role: "primary"}}, answer{status: status{State: running, Role: leadsStandby}}
	assert.True(t, of(leads, primary).isPromoted())
	assert.False(t, of(leads, standby).isPromoted(), "it is about to be")
	assert.False(t, of(leadsStandby, standby).isPromoted())
	assert.False(t, of(leads, answer{err: errors.New("timed out")}).isPromoted())
	assert.False(t, view{}.isPromoted(), "no node answers")
	assert.Empty(t, view{}.received(""), "what nobody tells is not said")
}

// TestNamesakes has nodes of another place stream under the names of nodes.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	of := func(senders ...sender) view {
		return view{answers: map[string]answer{"a": {status: status{Replication: senders}}}}
	}
	assert.Empty(t, of(sender{"b", streaming}, sender{"c", streaming}, sender{"pg_basebackup", "backup"}, sender{"pg_basebackup", "backup"}).namesakes("a"))
	assert.Contains(t, of(sender{"b", streaming}, sender{"c", streaming}, sender{"b", streaming}).namesakes("a"), "a: two nodes of the name b stream from it")
}
