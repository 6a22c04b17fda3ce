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
		switchOver(t, leader, standby)
	})
	now, _ := settled(t) // so that the old one follows
	assert.Equal(t, standby, now)
	noneForgotten(t)
}

func switchOver(t *testing.T, leader, standby string) {
	t.Helper()
	out, err := patronictl("switchover", "platform", "--leader="+leader, "--candidate="+standby, "--force")
	require.NoError(t, err, out)
}

// wantsMemory has each machine of PostgreSQL's stack be another, which takes a rebuild.
func (p platform) wantsMemory(t *testing.T) {
	t.Helper()
	_, stderr, err := p.postgres.Run("config", "set", "memory", "1088")
	require.NoError(t, err, stderr)
}

// testRoll has all machines rebuilt, one at a time.
func testRoll(t *testing.T, p platform) {
	settled(t)
	system := psql(t, nodes[0], "SELECT system_identifier FROM pg_control_system()")
	p.wantsMemory(t)
	var up engine.Result
	p.database.whileWriting(t, func() { up = p.postgres.Up() })
	assert.Equal(t, []string{
		"replace main-postgres-1-domain", "replace main-postgres-2-domain", "replace main-postgres-3-domain",
		"replace main-postgres-lb-1-domain", "replace main-postgres-lb-2-domain",
	}, replaced(up))
	settled(t)
	assert.Equal(t, system, psql(t, nodes[0], "SELECT system_identifier FROM pg_control_system()"), "its data outlived the machine")
	assert.Empty(t, p.postgres.Up().Ops(""))
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
	for _, node := range nodes {
		forgotten(t, node)
	}
}

// testPowerFailure has all machines lose their power, and come back.
func testPowerFailure(t *testing.T, p platform) {
	all := machines(t) // the second load balancer may be gone
	atOnce(t, "off", all)
	atOnce(t, "reboot", all)
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
