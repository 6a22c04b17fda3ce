package patroni_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
)

// rules are those of a node's pg_hba.conf after the ones for the nodes themselves.
func rules(t *testing.T, access ...patroni.Access) (all []string) {
	t.Helper()
	c := node("10.77.0.11")
	c.Postgres.Access = access
	lines := section(t, c, "bootstrap", "dcs", "postgresql", "pg_hba").([]any)
	for _, line := range lines {
		all = append(all, line.(string))
	}
	require.Equal(t, []string{
		"local all postgres peer",
		"local replication replicator scram-sha-256",
		"hostssl replication replicator all scram-sha-256 clientcert=verify-ca",
	}, all[:3])
	return all[3:]
}

// TestAccess requires the users of the nodes to be refused to all others, but for the
// superuser where a rule names it.
func TestAccess(t *testing.T) {
	t.Parallel()
	const (
		nodes  = "hostssl all postgres,rewind_user all scram-sha-256 clientcert=verify-ca"
		nobody = "host all,replication postgres,replicator,rewind_user all reject"
	)
	require.Equal(t, []string{nodes, nobody, "hostssl all all all scram-sha-256"}, rules(t))
	require.Equal(t, []string{
		`hostssl all "postgres" 10.0.9.0/24 scram-sha-256`,
		nodes, nobody,
		`hostssl "app","All" "app",+"team" 10.0.0.0/24 cert`,
		`hostssl "app","All" "app",+"team" 2001:db8::/64 cert`,
		`hostssl all "admin" 10.0.9.0/24 scram-sha-256`,
		`hostssl sameuser,replication all all reject`,
	}, rules(t,
		patroni.Access{Databases: []string{"app", "All"}, Users: []string{"app", "+team"}, Networks: []string{"10.0.0.0/24", "2001:db8::/64"}, Method: to(patroni.Cert)},
		patroni.Access{Users: []string{"postgres", "admin"}, Networks: []string{"10.0.9.0/24"}},
		patroni.Access{Databases: []string{"sameuser", "replication"}, Method: to(patroni.Reject)},
	))
}

// TestNoRulesOfItsOwn requires a node to have no rules in its own file: they would come
// before those that the nodes share.
func TestNoRulesOfItsOwn(t *testing.T) {
	t.Parallel()
	require.NotContains(t, section(t, node("10.77.0.11"), "postgresql"), "pg_hba")
}

// TestPresets requires a parameter of the user's in any spelling to come instead.
func TestPresets(t *testing.T) {
	t.Parallel()
	c := node("10.77.0.11")
	c.Postgres.Params, c.DataBytes = map[string]string{"Log_Connections": "off", "work_mem": "8MB"}, 10<<30
	require.Equal(t, map[string]any{
		"Log_Connections": "off", "work_mem": "8MB", "log_lock_waits": "on", "max_slot_wal_keep_size": "5120MB",
		"tcp_keepalives_idle": "60", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "6",
	}, section(t, c, "bootstrap", "dcs", "postgresql", "parameters"))
}

// TestOpenDoors warns of the superuser's alone, whose password is all that is needed.
func TestOpenDoors(t *testing.T) {
	t.Parallel()
	const everywhere = "lets the superuser in from every address, with a password alone"
	require.Equal(t, check.List{
		{Path: "postgres.access[1]", Reason: everywhere}, {Path: "postgres.access[3]", Reason: everywhere}, {Path: "postgres.access[4]", Reason: everywhere},
	}, patroni.OpenDoors([]patroni.Access{
		{},
		{Users: []string{"app", "postgres"}},
		{Users: []string{"postgres"}, Networks: []string{"10.0.9.0/24"}},
		{Users: []string{"postgres"}, Networks: []string{"10.0.9.0/24", "::/0"}},
		{Users: []string{"postgres"}, Networks: []string{"0.0.0.0/1", "128.0.0.0/1"}},
		{Users: []string{"postgres"}, Networks: []string{"0.0.0.0/1"}},
	}, nil))
	byCertificate := []patroni.Access{{Method: to(patroni.Cert)}}
	require.Len(t, patroni.OpenDoors(byCertificate, nil), 1)
	require.Empty(t, patroni.OpenDoors(byCertificate, []string{"10.0.9.0/24"}))
}
