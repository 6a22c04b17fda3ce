package health

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	one   = "postgres-1"
	two   = "postgres-2"
	three = "postgres-3"
)

// healthy is a view of three nodes as Patroni tells it: one leads, two is its
// synchronous standby, three another replica.
func healthy(t *testing.T) view {
	t.Helper()
	v := view{answers: map[string]answer{}}
	for _, name := range []string{one, two, three} {
		v.nodes = append(v.nodes, Node{Name: name})
	}
	require.NoError(t, json.Unmarshal([]byte(`{"scope": "main", "members": [
		{"name": "postgres-1", "role": "leader", "state": "running", "api_url": "https://10.0.0.31:4443/patroni", "host": "10.0.0.31", "port": 5432, "timeline": 3},
		{"name": "postgres-2", "role": "sync_standby", "state": "streaming", "timeline": 3, "tags": {"clonefrom": true}, "lag": 0},
		{"name": "postgres-3", "role": "replica", "state": "streaming", "timeline": 3, "lag": "unknown"}]}`), &v.cluster))
	for name, text := range map[string]string{
		one: `{"state": "running", "role": "primary", "server_version": 170006, "timeline": 3, "xlog": {"location": 67395656},
			"replication": [{"usename": "replicator", "application_name": "postgres-2", "client_addr": "10.0.0.32", "state": "streaming", "sync_state": "sync", "sync_priority": 1},
				{"usename": "replicator", "application_name": "postgres-3", "client_addr": "10.0.0.33", "state": "streaming", "sync_state": "async", "sync_priority": 0}],
			"dcs_last_seen": 1692356718, "database_system_identifier": "7268616322854375442", "patroni": {"version": "4.0.0", "scope": "main", "name": "postgres-1"}}`,
		two: `{"state": "running", "role": "replica", "timeline": 3, "replication_state": "streaming", "sync_standby": true,
			"xlog": {"received_location": 67395656, "replayed_location": 67395656, "replayed_timestamp": null, "paused": false},
			"database_system_identifier": "7268616322854375442", "patroni": {"version": "4.0.0", "scope": "main", "name": "postgres-2"}}`,
		three: `{"state": "running", "role": "replica", "timeline": 3,
			"xlog": {"received_location": 67395600, "replayed_location": 67395600, "replayed_timestamp": null, "paused": false},
			"database_system_identifier": "7268616322854375442", "patroni": {"version": "3.0.2", "scope": "main"}}`,
	} {
		var a answer
		require.NoError(t, json.Unmarshal([]byte(text), &a.status))
		v.answers[name] = a
	}
	return v
}

// change changes what a node answers.
func change(name string, how func(*answer)) func(*view) {
	return func(v *view) {
		a := v.answers[name]
		how(&a)
		v.answers[name] = a
	}
}

func both(changes ...func(*view)) func(*view) {
	return func(v *view) {
		for _, c := range changes {
			c(v)
		}
	}
}

func without(name string, more ...func(*gate)) func(*gate) {
	return func(g *gate) {
		g.Without, g.old.Nodes, g.old.SystemID = &name, g.Nodes, "7268616322854375442"
		for _, m := range more {
			m(g)
		}
	}
}

func of(name string) func(*gate) { return func(g *gate) { g.Node = &name } }
func synchronous(g *gate)        { *g.SynchronousStandbys = 1 }
func founding(g *gate)           { g.old.Nodes = nil }
func early(g *gate)              { g.old.SystemID = "" } // it passed before there was a cluster
func losing(g *gate)             { yes := true; g.AllowDataLoss = &yes }
func known(g *gate)              { g.old.SystemID = "1" }
func preferring(g *gate)         { g.Candidates = []string{three} }
func asynchronous(v *view)       { v.cluster.Members[1].Role = "replica" }
func quorumCommit(v *view) {
	v.cluster.Members[1].Role, v.cluster.Members[2].Role = "quorum_standby", "quorum_standby"
}
func unlocked(v *view)  { v.cluster.Members[0].Role = "replica" }
func noCluster(v *view) { v.cluster = nil }

// blank has a node be without data.
func blank(name string) func(*view) { return change(name, func(a *answer) { a.SystemID = "" }) }

// waits has a node wait for another one to initialise the cluster.
func waits(name string) func(*view) {
	return change(name, func(a *answer) { a.SystemID, a.State = "", "stopped" })
}

// leaving has the leader be none of the nodes that the program has.
func leaving(v *view) { v.nodes = v.nodes[1:] }

// standbyLeft has the synchronous standby be none of the nodes that the program has.
func standbyLeft(v *view) { v.nodes = []Node{v.nodes[0], v.nodes[2]} }

// fourth has another node do what the third does.
func fourth(v *view) {
	const four = "postgres-4"
	v.nodes, v.answers[four] = append(v.nodes, Node{Name: four}), v.answers[three]
	v.cluster.Members = append(v.cluster.Members, member{Name: four, Role: "replica", State: "streaming"})
	change(one, func(a *answer) { a.Replication = append(a.Replication, sender{four, streaming}) })(v)
}

// cutOff has the leader feed a node no more.
func cutOff(name string) func(*view) {
	return change(one, func(a *answer) {
		a.Replication = slices.DeleteFunc(a.Replication, func(s sender) bool { return s.Node == name })
	})
}

// recorded has Patroni's configuration say who was in the cluster.
func recorded(names ...string) func(*view) {
	return func(v *view) {
		v.record = record{}
		for _, name := range names {
			v.record[name] = noted{}
		}
	}
}

// aware is a gate that notes who is in the cluster, and has seen some there.
func aware(names ...string) func(*gate) {
	return func(g *gate) { g.old.Joined = append([]string{}, names...) }
}
func noFailover(v *view) { v.cluster.Members[1].Tags.NoFailover = true }
func gone(name string) func(*view) {
	return both(dead(name), func(v *view) {
		for i := range v.cluster.Members {
			if v.cluster.Members[i].Name == name {
				v.cluster.Members = append(v.cluster.Members[:i:i], v.cluster.Members[i+1:]...)
				return
			}
		}
	})
}

func dead(name string) func(*view) {
	return change(name, func(a *answer) { *a = answer{err: errors.New("connection refused")} })
}

func starting(name string) func(*view) {
	return change(name, func(a *answer) { a.State = "starting" })
}

func planned(v *view) {
	v.cluster.Scheduled = &struct{ At, From, To string }{"2026-12-01T03:00:00+00:00", one, ""}
}
