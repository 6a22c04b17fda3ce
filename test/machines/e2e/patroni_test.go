//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// testRules has a node that does not say that it presents a certificate, as one that was made
// by an older version, in a cluster without rules: the others do not require it until it does.
func testRules(t *testing.T, _ platform) {
	const conf, tag, required = "/etc/patroni/conf.yml", "clientcert: ", "hostssl replication replicator all scram-sha-256 clientcert=verify-ca"
	rules := func() string {
		out, err := patronictl("show-config")
		require.NoError(t, err)
		return out
	}
	start := func(machine, unit string) string {
		on(t, machine, "systemctl", "start", unit)
		return on(t, machine, "journalctl", "--no-pager", "--output=cat", "--unit="+unit, "--lines=8")
	}
	say := func(was, now string, saying int) {
		on(t, nodes[2], "sed", "-i", "s/"+tag+was+"/"+tag+now+"/", conf)
		on(t, nodes[2], "systemctl", "reload", "patroni")
		wait(t, "the tag of "+nodes[2], func() error {
			out, err := patronictl("list", "--format=json")
			if err == nil && strings.Count(out, `"clientcert": true`) != saying {
				err = errors.New(out)
			}
			return err
		})
	}
	assert.Equal(t, "active", on(t, nodes[2], "systemctl", "is-active", "patroni-rules.timer"))
	say("true", "false", 2)
	out, err := patronictl("edit-config", "platform", "--set", "postgresql.pg_hba=null", "--force", "--quiet")
	require.NoError(t, err, out)

	// It brings rules to the cluster that it joins.
	on(t, nodes[2], "systemctl", "stop", "patroni")
	on(t, nodes[2], "find", "/var/lib/postgresql/data", "-mindepth", "1", "-delete")
	on(t, nodes[2], "systemctl", "start", "patroni")
	settled(t)
	require.Contains(t, rules(), "local all postgres peer")
	require.NotContains(t, rules(), "clientcert=verify-ca")

	assert.Contains(t, start(nodes[0], "patroni-settings"), "until these have been updated, or are gone: "+nodes[2])
	start(nodes[0], "patroni-rules")
	require.NotContains(t, rules(), "clientcert=verify-ca")
	say("false", "true", 3)
	assert.Contains(t, start(nodes[0], "patroni-rules"), "nodes require certificates of each other from now on")
	require.Contains(t, rules(), required)
	leader, _ := settled(t)
	assert.Contains(t, psql(t, leader, "SELECT type, options FROM pg_hba_file_rules WHERE 'replicator' = ANY(user_name)"), "clientcert=verify-ca")
}
