//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	poolerPort = 6432
	pooledUser = "pooled"

	// pooledBy begins the pool's input, which comes after the list of load balancers.
	pooledBy = "      pooler: {maxClientConnections: 3000, poolSize: %d} #"
	pooled   = "      pooler: {} #"
)

// testPooler has clients come by the pools: while these are few, and while there are thousands; with a
// switchover, without the leader's machine, and while the pool changes.
func testPooler(t *testing.T, p platform) {
	password := p.addPool(t)
	t.Cleanup(func() { p.database.pooled = "" })
	p.database.pooled = password

	wait(t, "the pool of the leader", func() error {
		_, err := p.database.query(primaryPort, "SELECT 1")
		return err
	})
	wait(t, "the pool of a standby", func() error {
		out, err := p.database.query(replicaPort, "SELECT pg_is_in_recovery()")
		if err == nil && out != "t" {
			err = fmt.Errorf("it says %s", out)
		}
		return err
	})
	_, err := p.database.queryAs("postgres", p.database.password, poolerPort, "SELECT 1")
	require.ErrorContains(t, err, "no such user", "superusers do not come by the pool")
	_, err = p.database.queryAs(pooledUser, "another", poolerPort, "SELECT 1")
	require.ErrorContains(t, err, "SASL authentication failed")

	leader, _ := settled(t)
	t.Log(crowd(t, leader, password))
	wait(t, "metrics", func() error {
		out, err := sandbox("shell", "curl", "--silent", "--noproxy", "*", "--max-time", "20", "http://"+nodeAddresses[slices.Index(nodes, leader)]+":9100/metrics")
		if err == nil && !strings.Contains(out, `pgbouncer_pools_server_active_connections{database="postgres",user="pooled"}`) {
			err = fmt.Errorf("there is nothing of the pool of %s", leader)
		}
		return err
	})

	t.Log("a switchover")
	testSwitchover(t, p)
	t.Log("the leader's machine is off")
	testLeaderKilled(t, p)
	t.Log("another size")
	p.edit(t, "postgres", pooled, fmt.Sprintf(pooledBy, 30))
	p.database.whileWriting(t, func() { p.postgres.Up() })
	leader, _ = settled(t)
	assert.Equal(t, "30", strings.TrimSpace(on(t, leader, "sh", "-c",
		"runuser -u quorum_pooler -- psql -h /run/pgbouncer -p 6432 -U pgbouncer -XAtF ' ' pgbouncer -c 'SHOW CONFIG' | awk '$1 == \"default_pool_size\" { print $2 }'")))

	p.database.pooled = ""
	p.edit(t, "postgres", pooled, "      #")
	p.postgres.Up()
	_, err = hardware.do("exec", leader, "systemctl", "is-active", "--quiet", "pgbouncer")
	assert.Error(t, err, "it is stopped")
	p.database.must(t, "DROP OWNED BY "+pooledUser)
	p.database.must(t, "DROP ROLE "+pooledUser)
	p.database.works(t)
}

// addPool has a user come by the pools, and gives the user's password.
func (p platform) addPool(t *testing.T) (password string) {
	t.Helper()
	p.edit(t, "postgres", pooled, fmt.Sprintf(pooledBy, 20))
	p.postgres.Up()
	password = "of-who-comes-by-the-pool"
	p.database.must(t, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", pooledUser, password))
	p.database.must(t, "GRANT ALL ON numbers TO "+pooledUser)
	return password
}

// crowd has two thousand clients come from a node, by the load balancer.
func crowd(t *testing.T, node, password string) string {
	t.Helper()
	began := time.Now()
	out := on(t, node, "sh", "-c", "echo 'SELECT count(*) FROM numbers' >/tmp/script && ulimit -n 8192 && PGSSLMODE=require PGPASSWORD="+password+
		" $(ls /usr/lib/postgresql/*/bin/pgbench | tail -n 1) --no-vacuum --client=2000 --jobs=2 --time=20 --file=/tmp/script --host="+balancer+" --port="+fmt.Sprint(poolerPort)+" --username="+pooledUser+" postgres 2>&1")
	assert.Contains(t, out, "number of clients: 2000")
	assert.NotContains(t, out, "aborted")
	return fmt.Sprintf("two thousand clients, %s:\n%s", time.Since(began).Round(time.Second), out)
}
