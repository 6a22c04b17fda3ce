//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// node is one as patronictl lists it.
type node struct {
	Member, Role, State string
	Pending             string `json:"Pending restart"`
}

// patronictl runs it on the first node that can.
func patronictl(args ...string) (out string, err error) {
	for _, machine := range nodes {
		out, err = hardware.do("exec", machine, append([]string{"timeout", "60", "patronictl", "-c", "/etc/patroni/conf.yml"}, args...)...)
		if err == nil {
			break
		}
	}
	return out, err
}

// roles lists the nodes by their roles.
func roles() (map[string][]node, error) {
	out, err := patronictl("list", "--format=json")
	if err != nil {
		return nil, err
	}
	var list []node
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return nil, fmt.Errorf("%w in %s", err, out)
	}
	byRole := map[string][]node{}
	for _, n := range list {
		if n.State == "running" || n.State == "streaming" {
			byRole[n.Role] = append(byRole[n.Role], n)
		}
	}
	return byRole, nil
}

// settled waits until all nodes have their roles: a leader, a synchronous
// standby and another replica. It gives the names of the first two.
func settled(t *testing.T) (leader, standby string) {
	t.Helper()
	wait(t, "all nodes in their roles", func() error {
		now, err := roles()
		if err != nil {
			return err
		}
		if len(now["Leader"]) != 1 || len(now["Sync Standby"]) != 1 || len(now["Replica"]) != 1 {
			return fmt.Errorf("the roles are %v", now)
		}
		leader, standby = now["Leader"][0].Member, now["Sync Standby"][0].Member
		return nil
	})
	return leader, standby
}

// psql runs a statement on a node itself.
func psql(t *testing.T, machine, statement string) string {
	t.Helper()
	out, err := tryPsql(machine, statement)
	require.NoError(t, err)
	return out
}

// tryPsql is psql where it may fail.
func tryPsql(machine, statement string) (string, error) {
	return hardware.do("exec", machine, "runuser", "-u", "postgres", "--",
		"psql", "--no-psqlrc", "--tuples-only", "--no-align", "--command="+statement)
}

func testReplication(t *testing.T, p platform) {
	wait(t, "a primary behind the load balancer", func() error {
		_, err := p.database.query(primaryPort, "CREATE TABLE IF NOT EXISTS numbers (n bigint PRIMARY KEY)")
		return err
	})
	require.NoError(t, p.database.write())
	wait(t, "the row on a replica", func() error {
		out, err := p.database.query(replicaPort, "SELECT n, pg_is_in_recovery() FROM numbers")
		if err == nil && out != "1|t" {
			err = errors.New("a replica says " + out)
		}
		return err
	})
	leader, standby := settled(t)
	require.NoError(t, p.database.write())
	position := psql(t, leader, "SELECT pg_current_wal_lsn()")
	assert.Equal(t, "t", psql(t, standby, "SELECT pg_last_wal_receive_lsn() >= '"+position+"'"), "what is committed is on two nodes")
	assert.Equal(t, standby+"|sync", psql(t, leader, "SELECT application_name, sync_state FROM pg_stat_replication WHERE sync_state <> 'async'"))
}

func testSwitchover(t *testing.T, p platform) {
	leader, standby := settled(t)
	p.database.whileWriting(t, func() {
		out, err := patronictl("switchover", "platform", "--leader="+leader, "--candidate="+standby, "--force")
		require.NoError(t, err, out)
	})
	now, _ := settled(t) // so that the old one follows
	assert.Equal(t, standby, now)
	noneForgotten(t)
}

// noneForgotten checks that HAProxy has closed all clients that left. With some
// versions those would stay that waited for a node when it went down.
func noneForgotten(t *testing.T) {
	t.Helper()
	wait(t, "no client that left", func() error {
		if left := on(t, loadBalancer, "ss", "--no-header", "--tcp", "state", "close-wait"); left != "" {
			return errors.New("HAProxy has not closed " + left)
		}
		return nil
	})
}

// testRoll has all machines rebuilt, one at a time.
func testRoll(t *testing.T, p platform) {
	settled(t)
	system := psql(t, nodes[0], "SELECT system_identifier FROM pg_control_system()")
	_, stderr, err := p.postgres.Run("config", "set", "memory", "1088")
	require.NoError(t, err, stderr)
	var up engine.Result
	p.database.whileWriting(t, func() { up = p.postgres.Up() })
	assert.Equal(t, []string{
		"replace main-postgres-1-domain", "replace main-postgres-2-domain", "replace main-postgres-3-domain", "replace main-postgres-lb-domain",
	}, replaced(up))
	settled(t)
	assert.Equal(t, system, psql(t, nodes[0], "SELECT system_identifier FROM pg_control_system()"), "its data outlived the machine")
	assert.True(t, p.postgres.Up().Unchanged())
}

func testLeaderKilled(t *testing.T, p platform) {
	leader, _ := settled(t)
	p.database.whileWriting(t, func() { machine(t, "off", leader) })
	machine(t, "reboot", leader)
	now, _ := settled(t)
	assert.NotEqual(t, leader, now)
	assert.Equal(t, "t", psql(t, leader, "SELECT pg_is_in_recovery()"))
	noneForgotten(t)
	p.database.hasAll(t)
}

// testEtcdLeader restarts etcd's leader, which knows the tokens that Patroni got from it.
func testEtcdLeader(t *testing.T, p platform) {
	var list []struct {
		Endpoint string
		Status   struct {
			Header struct {
				MemberID uint64 `json:"member_id"`
			}
			Leader uint64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(p.root.run(t, "endpoint", "status", "--write-out=json")), &list))
	machine := ""
	for _, member := range list {
		if member.Status.Leader == member.Status.Header.MemberID {
			machine = "etcd-" + member.Endpoint[strings.LastIndex(member.Endpoint, ":")-1:strings.LastIndex(member.Endpoint, ":")]
		}
	}
	require.Contains(t, members, machine)
	before, _ := settled(t)
	p.database.whileWriting(t, func() {
		on(t, machine, "systemctl", "restart", "etcd")
		restarted := time.Now().Unix()
		for i, name := range nodes {
			wait(t, "etcd as seen by "+name, func() error {
				if seen := etcdSeen(t, name, nodeAddresses[i]); seen <= restarted {
					return fmt.Errorf("seen at %d, and restarted at %d", seen, restarted)
				}
				return nil
			})
		}
	})
	now, _ := settled(t)
	t.Logf("PostgreSQL's leader was %s and is %s", before, now)
}

// etcdSeen is when Patroni of a node last had an answer from etcd.
func etcdSeen(t *testing.T, machine, address string) int64 {
	t.Helper()
	const tls = "/etc/patroni/tls/"
	var said struct {
		Seen int64 `json:"dcs_last_seen"`
	}
	out := on(t, machine, "curl", "--silent", "--show-error", "--max-time", "20", "--cacert", tls+"ca.crt",
		"--cert", tls+"client.crt", "--key", tls+"client.key", "https://"+address+":4443/patroni")
	require.NoError(t, json.Unmarshal([]byte(out), &said), out)
	return said.Seen
}

// testRebooted has all nodes reboot at the same time.
func testRebooted(t *testing.T, p platform) {
	atOnce(t, "reboot", nodes)
	p.database.works(t)
	settled(t)
}

// testPowerFailure has all machines lose their power, and come back.
func testPowerFailure(t *testing.T, p platform) {
	atOnce(t, "off", p.machines())
	atOnce(t, "reboot", p.machines())
	p.database.works(t)
	settled(t)
}

// atOnce does the same to several machines.
func atOnce(t *testing.T, command string, machines []string) {
	t.Helper()
	var all sync.WaitGroup
	for _, machine := range machines {
		all.Add(1)
		go func() {
			defer all.Done()
			_, err := hardware.do(command, machine)
			assert.NoError(t, err)
		}()
	}
	all.Wait()
}
