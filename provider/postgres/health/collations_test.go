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
		g.at = func(n Node) string { return map[string]string{"a": leader.Endpoint(), "b": other.Endpoint()}[n.Name] }
		g.CACert, g.ClientCert, g.ClientKey = leader.CACert()+other.CACert(), leader.CACert(), string(key)
		if change != nil {
			change(g)
		}
		return g
	}
	reindexes := func(g *gate) { yes := true; g.ReindexCollations = &yes }
	another := func(name string) func(*gate) { // its machine is another one
		return func(g *gate) {
			g.Node, g.Triggers, g.old.Triggers = &name, map[string]string{"machine": "2"}, map[string]string{"machine": "1"}
		}
	}
	version := func() string {
		return leader.SQL("postgres", "SELECT datcollversion = pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = 'app'")
	}
	require.NoError(t, gateOf(another("b")).sortAlike(t.Context()))

	other.SQL("postgres", "UPDATE pg_database SET datcollversion = '1.5' WHERE datname = 'app'")
	err = gateOf(another("b")).sortAlike(t.Context())
	require.ErrorContains(t, err, "b sorts text in another way than a, which made the indexes: database app (1.5, now ")
	for name, change := range map[string]func(*gate){
		"all": nil, "the leader": another("a"), "without": func(g *gate) { name := "b"; g.Without = &name },
		"the same machine":       func(g *gate) { another("b")(g); g.old.Triggers = g.Triggers },
		"with reindexCollations": func(g *gate) { another("b")(g); reindexes(g) },
		"without a password":     func(g *gate) { another("b")(g); g.SuperuserPassword = nil },
	} {
		require.NoError(t, gateOf(change).sortAlike(t.Context()), name)
	}
	other.SQL("postgres", "UPDATE pg_database SET daticulocale = '', datlocprovider = 'c', datcollate = 'nowhere.UTF-8', datctype = 'nowhere.UTF-8' WHERE datname = 'app'")
	require.ErrorContains(t, gateOf(another("b")).sortAlike(t.Context()), "b: a database that a has cannot be read here, as where its image lacks a locale")

	leader.SQL("postgres", "UPDATE pg_database SET datcollversion = '1.5' WHERE datname = 'app'")
	require.NoError(t, gateOf(nil).sortAlike(t.Context()), "it is told")
	require.ErrorContains(t, gateOf(another("a")).sortAlike(t.Context()), "a leads, and sorts text in another way than when indexes were made: database app (1.5")
	require.ErrorContains(t, gateOf(another("b")).sortAlike(t.Context()), "a leads, and sorts")
	follows := func(g *gate) { another("a")(g); of := "another"; g.StandbyOf = &of; reindexes(g) }
	require.NoError(t, gateOf(follows).sortAlike(t.Context()), "a standby cluster cannot do anything about it")
	assert.Contains(t, version(), "f")
	require.NoError(t, gateOf(reindexes).sortAlike(t.Context()))
	assert.Equal(t, "t", version())

	leader.Stop()
	require.NoError(t, gateOf(nil).sortAlike(t.Context()))
	require.NoError(t, gateOf(another("b")).sortAlike(t.Context()), "who cannot be asked is told")
	require.ErrorContains(t, gateOf(reindexes).sortAlike(t.Context()), "a: reindexCollations: whether it sorts text as before cannot be seen from here: ")
}
