package health

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// TestSortAlike has a node sort text in another way than the leader: it is let in only where the program says so, and the
// indexes are made anew once such a node leads. What is so everywhere is told.
func TestSortAlike(t *testing.T) {
	t.Parallel()
	leader, other, password := localpostgres.Start(t), localpostgres.Start(t), localpostgres.Password
	make := "CREATE DATABASE app TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'"
	leader.SQL("postgres", make)
	other.SQL("postgres", make)
	seen := view{
		cluster: &cluster{Members: []member{{Name: "a", Role: leads}, {Name: "b", Role: "replica"}}},
		answers: map[string]answer{"a": {status: status{State: running, Role: "primary"}}, "b": {status: status{State: running, Role: "replica"}}},
	}
	key, err := os.ReadFile(leader.Dir + "/server.key")
	require.NoError(t, err)
	gateOf := func(change func(*gate)) *gate {
		g := &gate{HealthArgs: HealthArgs{Nodes: []Node{{Name: "a"}, {Name: "b"}}, SuperuserPassword: &password}, last: seen}
		g.sorts.at = func(n Node) string { return map[string]string{"a": leader.Endpoint(), "b": other.Endpoint()}[n.Name] }
		g.CACert, g.ClientCert, g.ClientKey = leader.CACert()+other.CACert(), leader.CACert(), string(key)
		if change != nil {
			change(g)
		}
		return g
	}
	reindexes := func(g *gate) { yes := true; g.ReindexCollations = &yes }
	require.NoError(t, gateOf(nil).sortAlike(t.Context()))

	other.SQL("postgres", "UPDATE pg_database SET datcollversion = '1.5' WHERE datname = 'app'")
	err = gateOf(nil).sortAlike(t.Context())
	require.ErrorContains(t, err, "b sorts text in another way than a, which made the indexes: database app (1.5, now ")
	one, two := "a", "b"
	require.NoError(t, gateOf(func(g *gate) { g.Node = &one }).sortAlike(t.Context()), "that is not about b")
	require.Error(t, gateOf(func(g *gate) { g.Node = &two }).sortAlike(t.Context()))
	require.NoError(t, gateOf(reindexes).sortAlike(t.Context()))
	require.NoError(t, gateOf(func(g *gate) { g.SuperuserPassword = nil }).sortAlike(t.Context()))

	leader.SQL("postgres", "UPDATE pg_database SET datcollversion = '1.5' WHERE datname = 'app'")
	version := func() string {
		return leader.SQL("postgres", "SELECT datcollversion = pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = 'app'")
	}
	for name, change := range map[string]func(*gate){"is told": nil, "a standby cluster": func(g *gate) { reindexes(g); of := "another"; g.StandbyOf = &of }} {
		g := gateOf(change)
		require.NoError(t, g.sortAlike(t.Context()), name)
		assert.True(t, g.sorts.warned, name)
		require.NoError(t, g.reindex(t.Context()))
		assert.Contains(t, version(), "f", name)
	}
	g := gateOf(reindexes)
	require.NoError(t, g.sortAlike(t.Context()))
	require.NoError(t, g.reindex(t.Context()))
	assert.Equal(t, "t", version())

	leader.Stop()
	require.NoError(t, gateOf(nil).sortAlike(t.Context()), "who cannot be asked is not in the way")
}
