package change

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// read is a message as it is written here.
func read(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\n\t\t\t", "\n")) }

func TestClusterSays(t *testing.T) {
	t.Parallel()
	const fresh, etcd = guest.Anew, guest.Restart + "etcd.service"
	grows := []string{guest.DataGrows}
	was := ClusterArgs{Members: []string{"etcd-1", "etcd-2", "etcd-3"}, Service: "etcd.service", Settings: map[string]string{"a": "1"}}
	with := func(change func(*ClusterArgs)) ClusterArgs {
		a := was
		change(&a)
		return a
	}
	other := with(func(a *ClusterArgs) { a.Settings = map[string]string{"a": "2"} })
	command := "restart it"
	database := func(params ...string) ClusterArgs {
		a := ClusterArgs{
			Members: []string{"pg-1", "pg-2"}, LoadBalancers: []string{"lb-1"}, Service: "patroni.service", RestartCommand: &command,
			Settings: map[string]string{"postgres.params.work_mem": "1"},
		}
		for _, param := range params {
			a.Settings["postgres.params."+param] = "2"
			a.RestartSettings = append(a.RestartSettings, "postgres.params."+param)
		}
		return a
	}
	for _, c := range []struct {
		what        string
		before, now ClusterArgs
		happening   machines
		when        tense
		want        string
	}{
		{"nothing", was, was, nil, true, ""},
		{"a setting that changes no machine", was, other, nil, true, `
			main: 1 setting changes
			    a: 1 -> 2
			  no machine changes`},
		{"a restart", was, other, machines{"etcd-1": {lines: []string{etcd}}, "etcd-2": {lines: []string{etcd}}, "etcd-3": {lines: []string{etcd, "live: x"}}}, true, `
			main: 1 setting changes
			    a: 1 -> 2
			  in this order (machines that do not answer first), the next one only when the cluster is healthy again:
			    etcd-1, etcd-2: restart: etcd.service
			    etcd-3:
			      restart: etcd.service
			      live: x
			  The member that leads moves the leadership to another one before it restarts.`},
		{"data volumes that grow", was, other, machines{"etcd-1": {lines: grows}, "etcd-2": {lines: grows}}, true, `
			main: 1 setting changes
			    a: 1 -> 2
			  in this order (machines that do not answer first), with no check whether the cluster is healthy in between, since nothing stops:
			    etcd-1, etcd-2: live: the data volume grows, and the file system on it`},
		{"data volumes that have grown", was, other, machines{"etcd-1": {lines: grows}, "etcd-2": {lines: grows}}, false, `
			main: 1 setting changed
			    a: 1 -> 2
			  one after the other:
			    etcd-1, etcd-2: live: the data volume grows, and the file system on it`},
		{"one that restarts among those", was, other, machines{"etcd-1": {lines: grows}, "etcd-2": {lines: append([]string{etcd}, grows...)}, "etcd-3": {lines: grows}}, true, `
			main: 1 setting changes
			    a: 1 -> 2
			  in this order (machines that do not answer first), the next one only when the cluster is healthy again, unless only its data volume grows:
			    etcd-1: live: the data volume grows, and the file system on it
			    etcd-2:
			      restart: etcd.service
			      live: the data volume grows, and the file system on it
			    etcd-3: live: the data volume grows, and the file system on it
			  The member that leads moves the leadership to another one before it restarts.`},
		{"one that has restarted among those", was, other, machines{"etcd-1": {lines: grows}, "etcd-2": {lines: []string{etcd}}}, false, `
			main: 1 setting changed
			    a: 1 -> 2
			  one after the other, each when the cluster was healthy, unless only its data volume grew:
			    etcd-1: live: the data volume grows, and the file system on it
			    etcd-2: restart: etcd.service`},
		{"one data volume that grows, and a member that leaves", was, with(func(a *ClusterArgs) { a.Members = a.Members[:2] }), machines{"etcd-1": {lines: grows}}, true, `
			main: no setting changes, but what its machines are handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  in this order (machines that do not answer first), the next one only when the cluster is healthy again, unless only its data volume grows:
			    etcd-1: live: the data volume grows, and the file system on it
			    etcd-3: removed from the cluster; then its machine and the volumes made for it are deleted`},
		{"when it is done", was, other, machines{"etcd-1": {lines: []string{etcd}}, "etcd-2": {lines: []string{etcd}}}, false, `
			main: 1 setting changed
			    a: 1 -> 2
			  one after the other, each when the cluster was healthy:
			    etcd-1, etcd-2: restart: etcd.service`},
		{"what was left by an update that failed", was, was, machines{"etcd-3": {lines: []string{"live: x"}}}, true, `
			main: no setting changes, but what its machines are handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  this machine changes:
			    etcd-3: live: x`},
		{"a state of an earlier version", ClusterArgs{}, was, machines{"etcd-3": {lines: []string{"live: x"}}}, true, `
			main: what its machines are handed changes
			  this machine changes:
			    etcd-3: live: x`},
		{
			"without checks", was, with(func(a *ClusterArgs) { a.Settings = map[string]string{"a": "1", "skipHealthChecks": "true"} }),
			machines{"etcd-1": {lines: []string{"live: x"}}, "etcd-2": {lines: []string{"live: x"}}},
			true, `
			main: 1 setting changes
			    skipHealthChecks: not set -> true
			  in this order, with no check whether the cluster is healthy in between (skipHealthChecks):
			    etcd-1, etcd-2: live: x`,
		},
		{
			"machines that come and go", was, with(func(a *ClusterArgs) { a.Members = []string{"etcd-4", "etcd-1", "etcd-2"} }),
			machines{"etcd-1": {lines: []string{"live: x"}}, "etcd-2": {lines: []string{"live: x"}}, "etcd-4": {isNew: true}},
			true, `
			main: no setting changes, but what its machines are handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  in this order (machines that do not answer first), the next one only when the cluster is healthy again:
			    etcd-4: a new machine
			    etcd-1, etcd-2: live: x
			    etcd-3: removed from the cluster; then its machine and the volumes made for it are deleted`,
		},
		{
			"machines that are new, last in the list", was, with(func(a *ClusterArgs) { a.Members = []string{"etcd-1", "etcd-2", "etcd-3", "etcd-4", "etcd-5"} }),
			machines{"etcd-1": {lines: []string{"live: x"}}, "etcd-4": {isNew: true}, "etcd-5": {isNew: true}},
			true, `
			main: no setting changes, but what its machines are handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  in this order (machines that do not answer first), the next one only when the cluster is healthy again:
			    etcd-4, etcd-5: a new machine
			    etcd-1: live: x`,
		},
		{
			"an external machine that leaves, and one that is taken over", with(func(a *ClusterArgs) { a.External = []string{"etcd-2", "etcd-3"} }), with(func(a *ClusterArgs) { a.Members = a.Members[:2] }),
			machines{"etcd-2": {isNew: true}},
			true, `
			main: no setting changes, but what its machines are handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  this machine changes:
			    etcd-2: a new machine`,
		},
		{"another order", was, with(func(a *ClusterArgs) { a.Members = []string{"etcd-3", "etcd-1", "etcd-2"} }), machines{"etcd-3": {lines: []string{"live: x"}}}, true, `
			main: 1 setting changes
			    members: in another order: etcd-3, etcd-1, etcd-2
			  this machine changes:
			    etcd-3: live: x`},
		{
			"only one member", with(func(a *ClusterArgs) { a.Members = a.Members[:1] }), with(func(a *ClusterArgs) { a.Members = a.Members[:1] }),
			machines{"etcd-1": {lines: []string{fresh}}},
			true, `
			main: no setting changes, but what its machines are handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  this machine changes:
			    etcd-1: rebuild: a fresh machine`,
		},
		{"a machine that is gone", was, was, machines{"etcd-2": {lines: []string{guest.Again}}}, true, `
			main: no setting changes
			  this machine changes:
			    etcd-2: ` + guest.Again},
		{"a machine that was gone, and a change", was, was, machines{"etcd-2": {lines: []string{guest.Again}}, "etcd-3": {lines: []string{"live: x"}}}, false, `
			main: no setting changed, but what its machines are handed did: renewed certificates, another release of this package, or the rest of an earlier update
			  one after the other, each when the cluster was healthy:
			    etcd-2: ` + guest.Again + `
			    etcd-3: live: x`},
		{"parameters for which PostgreSQL restarts", database("max_connections"), database("shared_buffers"), machines{"pg-1": {lines: []string{"live: x"}}, "lb-1": {lines: []string{fresh}}}, true, `
			main: 2 settings change
			    postgres.params.max_connections: 2 -> not set
			    postgres.params.shared_buffers: not set -> 2
			  in this order (machines that do not answer first), the next one only when the cluster is healthy again:
			    pg-1: live: x
			    lb-1: rebuild: a fresh machine
			  PostgreSQL must be restarted for max_connections, shared_buffers, after the update: until then the former values are in force
			    on a node: restart it`},
		{"a service that comes", database(), database(), machines{"pg-1": {lines: []string{"restart: x", "live: 1", "live: 2", "live: 3", "live: 4", "live: 5"}}}, true, `
			main: no setting changes, but what its machines are handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  this machine changes:
			    pg-1:
			      restart: x
			      live: 1
			      live: 2
			      live: 3
			      live: and 2 more: see --diff`},
		{"a service that goes", database(), database(), machines{"pg-1": {lines: []string{"live: the file 1 is deleted", "live: 2", "live: 3", "live: the file 4 is deleted", "live: 5"}}}, true, `
			main: no setting changes, but what its machines are handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  this machine changes:
			    pg-1:
			      live: the file 1 is deleted
			      live: 2
			      live: 3
			      live: and 2 more, of which 1 deletes a file: see --diff`},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, read(c.want), c.now.says(c.before, "main", c.happening, "", c.when))
		})
	}
}

// TestClusterSaysThatPostgresStartsAgain has machines be made anew or restart beside a parameter that needs a restart of
// PostgreSQL.
func TestClusterSaysThatPostgresStartsAgain(t *testing.T) {
	t.Parallel()
	of := func(applies, connections string) ClusterArgs {
		return ClusterArgs{
			Members: []string{"pg-1", "pg-2"}, Service: patroniService, Settings: map[string]string{"applyPendingRestarts": applies, "postgres.params.max_connections": connections},
			LeaderFirst: map[string]string{"postgres.params.max_connections": "100"}, RestartSettings: []string{"postgres.params.max_connections"},
		}
	}
	with := func(one, other string) machines {
		return machines{"pg-1": {lines: []string{one}}, "pg-2": {lines: []string{other}}}
	}
	const again = "PostgreSQL takes max_connections as it starts again. Where `patronictl list` shows a pending restart after the update, it must be restarted once more"
	const must = "PostgreSQL must be restarted for max_connections, after the update"
	for _, c := range []struct {
		applies, to string
		happening   machines
		want        string
	}{
		{"false", "200", with(guest.Anew, guest.Anew), again},
		{"false", "200", with(guest.PowerOff, guest.Restart+patroniService), again},
		{"false", "200", with(guest.PowerOff, guest.Live+"patroni.service reloads"), must},
		{"false", "50", with(guest.Anew, guest.Anew), must}, // replicas do not take less than the leader has
		{"true", "200", with(guest.Anew, guest.Anew), "then PostgreSQL restarts where max_connections still waits for that, on one node"},
		{"true", "50", with(guest.Anew, guest.Anew), "then PostgreSQL restarts for max_connections, on one node"},
	} {
		assert.Contains(t, of(c.applies, c.to).says(of(c.applies, "100"), "main", c.happening, "", true), "\n  "+c.want)
	}
}

// TestClusterSaysRestarts has the update itself restart PostgreSQL.
func TestClusterSaysRestarts(t *testing.T) {
	t.Parallel()
	of := func(applies, connections string, members ...string) ClusterArgs {
		a := ClusterArgs{Members: members, Service: patroniService, Settings: map[string]string{"a": "1", "applyPendingRestarts": applies}}
		a.LeaderFirst = map[string]string{"postgres.params.max_connections": "100"}
		if connections != "" {
			a.Settings["postgres.params.max_connections"] = connections
			a.RestartSettings = []string{"postgres.params.max_connections"}
		}
		return a
	}
	three := func(connections string) ClusterArgs { return of("true", connections, "pg-1", "pg-2", "pg-3") }
	unchecked := three("300")
	unchecked.Settings["skipHealthChecks"] = "true"
	for _, c := range []struct {
		what        string
		before, now ClusterArgs
		leader      string
		when        tense
		want        string
	}{
		{"raised", three("100"), three("200"), "pg-2", true, `
			then PostgreSQL restarts for max_connections, on one node after the other, each when the cluster is healthy:
			    pg-1, pg-3
			    pg-2, the leader at the last check: when another one has taken over, by a switchover: clients connect again`},
		{"from the default, with no leader known", three(""), three("200"), "", true, `
			then PostgreSQL restarts for max_connections, on one node after the other, each when the cluster is healthy:
			    replicas
			    the leader: when another one has taken over, by a switchover: clients connect again`},
		{"back to the default", three("200"), three(""), "pg-1", true, `
			then PostgreSQL restarts for max_connections, on one node after the other, each when the cluster is healthy:
			    pg-1, the leader at the last check: without a switchover, since replicas may not have less of max_connections: clients connect again
			    pg-2, pg-3: after it`},
		{"one node", of("true", "100", "pg-1"), of("true", "200", "pg-1"), "pg-1", true, `
			then PostgreSQL restarts for max_connections: clients connect again`},
		{"turned on", of("false", "100", "pg-1", "pg-2"), of("true", "100", "pg-1", "pg-2"), "pg-9", true, `
			then PostgreSQL restarts where that is pending, on one node after the other, each when the cluster is healthy:
			    replicas
			    the leader: when another one has taken over, by a switchover: clients connect again`},
		{"done", three("100"), three("200"), "pg-2", false, `
			PostgreSQL was restarted where max_connections needed it`},
		{"without checks", three("100"), unchecked, "pg-2", true, `
			PostgreSQL must be restarted for max_connections, after the update: until then the former values are in force`},
		{"a value that is not known yet", three("300"), with(three("300"), "postgres.params.max_connections", ""), "pg-2", true, `
			then PostgreSQL restarts for max_connections, on one node after the other, each when the cluster is healthy:
			    pg-1, pg-3
			    pg-2, the leader at the last check: when another one has taken over, by a switchover: clients connect again`},
		{"another setting", three("100"), with(three("100"), "a", "2"), "pg-2", true, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			said := c.now.says(c.before, "main", nil, c.leader, c.when)
			_, rest, _ := strings.Cut(said, c.when.of("no machine changes", "no machine changed"))
			assert.Equal(t, read(c.want), strings.TrimSpace(rest))
		})
	}
}

func with(a ClusterArgs, path, value string) ClusterArgs {
	a.Settings[path] = value
	return a
}

func TestMachineSays(t *testing.T) {
	t.Parallel()
	with := func(value string) MachineArgs {
		command := "restart it"
		return MachineArgs{Settings: map[string]string{"postgres.params.max_connections": value}, RestartSettings: []string{"postgres.params.max_connections"}, RestartCommand: &command}
	}
	assert.Empty(t, with("1").says(with("1"), "pg-1", nil, true))
	assert.Empty(t, with("1").says(MachineArgs{}, "pg-1", nil, true), "its settings were not kept by an earlier version")
	assert.Equal(t, read(`
			pg-1: 1 setting changes
			    postgres.params.max_connections: 1 -> 2
			  live: x
			  PostgreSQL must be restarted for max_connections, after the update: until then the former values are in force
			    on a node: restart it`), with("2").says(with("1"), "pg-1", []string{"live: x"}, true))
	assert.Contains(t, with("2").says(with("1"), "pg-1", []string{guest.PowerOff}, true), "PostgreSQL takes max_connections as it starts again. Where")
	assert.Equal(t, read(`
			pg-1: no setting changes, but what it is handed does: renewed certificates, another release of this package, or the rest of an earlier update
			  live: x`), with("1").says(with("1"), "pg-1", []string{"live: x"}, true))
	assert.Equal(t, read(`
			pg-1: 1 setting changed
			    postgres.params.max_connections: 1 -> 2
			  the machine did not change
			  PostgreSQL must be restarted for max_connections, after the update: until then the former values are in force
			    on a node: restart it`), with("2").says(with("1"), "pg-1", nil, false))
}

func TestHeading(t *testing.T) {
	t.Parallel()
	for heading, lines := range map[string][]string{
		"main: 1 setting changes":               {"a: 1 -> 2"},
		"main: 2 settings change":               {"a: 1 -> 2", "b: 1 -> 2"},
		"main: 1 setting may change":            {"a: 1 -> not known yet"},
		"main: 2 settings may change":           {"a: 1 -> not known yet", "b: not known yet"},
		"main: 2 settings change or may change": {"a: 1 -> not known yet", "b: 1 -> 2"},
	} {
		var said telling
		said.heading("main", "its machines are", differ{lines: lines, known: true}, false, true)
		first, _, _ := strings.Cut(said.String(), "\n")
		assert.Equal(t, heading, first)
	}
}
