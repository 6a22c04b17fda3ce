//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

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
