package health

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// TestExistingIsInEtcd has the cluster of external nodes be below another key than the program says, or in another etcd.
func TestExistingIsInEtcd(t *testing.T) {
	t.Parallel()
	server := embedetcd.Start(t, false)
	to := server.Connection(t)
	root := server.Root(t)
	_, err := root.Put(t.Context(), "/service/main/initialize", "7268616322854375442")
	require.NoError(t, err)
	isIn := func(keys, id string) error {
		g := &gate{HealthArgs: HealthArgs{Plan: &Plan{Keys: &keys, Etcd: &to}}}
		return g.isInEtcd(t.Context(), id)
	}
	require.NoError(t, isIn("/service/main/", "7268616322854375442"))
	require.EqualError(t, isIn("/patroni/main/", "7268616322854375442"), "patroni.namespace, patroni.scope or etcd.endpoints: this etcd has no cluster below /patroni/main/, "+
		"and the one of the external nodes has the system id 7268616322854375442. They must be as in the configuration of its Patroni")
	require.EqualError(t, isIn("/service/main/", "1"), "patroni.namespace, patroni.scope or etcd.endpoints: the cluster below /service/main/ in this etcd has the system id 7268616322854375442, "+
		"and the one of the external nodes 1")
	to.Endpoints = []string{""}
	require.NoError(t, isIn("/patroni/main/", "1"), "a preview does not know it")
}

// TestExistingLogins has the program have other passwords than the cluster, and the cluster users that would be locked out.
func TestExistingLogins(t *testing.T) {
	t.Parallel()
	server := localpostgres.Start(t)
	key, err := os.ReadFile(server.Dir + "/server.key")
	require.NoError(t, err)
	superuser, replicator := localpostgres.Password, "replicator-of-theirs"
	logsIn := func() error {
		g := &gate{HealthArgs: HealthArgs{Nodes: []Node{{Name: "a"}}, SuperuserPassword: &superuser, Plan: &Plan{ReplicatorPassword: &replicator}}}
		g.at = func(Node) string { return server.Endpoint() }
		g.CACert, g.ClientCert, g.ClientKey = server.CACert(), server.CACert(), string(key)
		return g.logsIn(t.Context(), "a")
	}
	require.EqualError(t, logsIn(), "postgres.replicatorPassword is not that of the cluster: a, which leads, refuses it for the user replicator, or has no such user")
	server.SQL("postgres", "CREATE ROLE replicator LOGIN REPLICATION PASSWORD 'replicator-of-theirs'")
	require.NoError(t, logsIn())
	server.SQL("postgres", "SET password_encryption = md5", "CREATE ROLE app LOGIN PASSWORD 'old'")
	require.ErrorContains(t, logsIn(), "users of the cluster have passwords of the kind md5, with which machines that are made let nobody in: app.")
	superuser = "another-one"
	err = logsIn()
	require.EqualError(t, err, "postgres.superuserPassword is not that of the cluster: a, which leads, refuses it for the user postgres, or has no such user")
	assert.NotContains(t, err.Error(), superuser)
}

// TestExistingReplication has the program say of synchronous replication what the cluster does not have.
func TestExistingReplication(t *testing.T) {
	t.Parallel()
	two := 2
	for _, c := range []struct {
		mode  any
		count *int
		says  int
		want  string
	}{
		{nil, nil, 0, ""},
		{true, nil, 1, ""},
		{"quorum", &two, 2, ""},
		{false, &two, 0, ""},
		{"on", nil, 1, ""},
		{nil, nil, 1, "patroni.isSynchronous must be false while a node is external, as the cluster has it (synchronous_mode)"},
		{true, nil, 0, "patroni.isSynchronous must be true while a node is external, as the cluster has it (synchronous_mode)"},
		{true, &two, 1, "patroni.synchronousSettings.synchronousNodeCount must be 2 while a node is external, as the cluster has it (synchronous_node_count), not 1"},
	} {
		g := &gate{HealthArgs: HealthArgs{SynchronousStandbys: &c.says}, last: view{record: record{}, config: dynamic{SynchronousMode: c.mode, SynchronousNodeCount: c.count}}}
		if err := g.replicates(); c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

// TestOlderPatroni compares releases.
func TestOlderPatroni(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"3.0.2": true, "2.1.7": true, "3.1.0": false, "4.0.1": false, "": false} {
		assert.Equal(t, want, isOlder(version, oldestPatroni), version)
	}
}
