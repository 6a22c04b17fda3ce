package clusters

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/postgresmachines"
)

// majors is a cluster that is brought from one version of PostgreSQL to the next.
type majors struct {
	*database
	from, to string
	keys     *clientv3.Client // of etcd
}

// newMajors has the former version up, on three nodes.
func newMajors(t *testing.T) *majors {
	t.Helper()
	from, to := postgresmachines.Majors()
	m := &majors{newDatabase(t, "postgres-1", "postgres-2", "postgres-3"), from, to, nil}
	m.only(from)
	m.Up()
	m.keys = m.etcd(t)
	return m
}

// only is a program with a version and no upgrade.
func (m *majors) only(version string) {
	m.change(func(o *databaseOptions) { o.postgres, o.haproxy = fmt.Sprintf(", version: %q", version), "" })
}

// What a program may have of an upgrade.
const (
	run       = ""
	checkOnly = ", checkOnly: true"
	revert    = ", revert: true"
	finish    = ", finish: true"
)

// upgrade is a program with one.
func (m *majors) upgrade(what string) {
	m.change(func(o *databaseOptions) {
		o.postgres = fmt.Sprintf(", version: %q", m.to)
		o.haproxy = fmt.Sprintf("      upgrade: {from: %q, withoutBackup: true%s}\n", m.from, what)
	})
}

// marker is how far the nodes are.
type marker struct {
	ID, Action, Stage, Base, Keeper string
	Joined                          map[string]bool
}

func (m *majors) marker(t *testing.T) (now marker) {
	t.Helper()
	got, err := m.keys.Get(t.Context(), "/service/main/config")
	require.NoError(t, err)
	var config struct {
		Upgrade string `json:"quorum_upgrade"`
	}
	require.NoError(t, json.Unmarshal(got.Kvs[0].Value, &config))
	if config.Upgrade != "" {
		require.NoError(t, json.Unmarshal([]byte(config.Upgrade), &now))
	}
	return now
}

// isSilent is that Patroni answers on no node.
func (m *majors) isSilent() bool {
	for _, name := range m.options.nodes {
		if connection, err := net.DialTimeout("tcp", strings.Replace(m.at(name), ":5432", ":4443", 1), time.Second); err == nil {
			_ = connection.Close()
			return false
		}
	}
	return true
}

// is has the nodes be where an upgrade left them, and the next update have nothing to do.
func (m *majors) is(t *testing.T, action, stage string, keepers ...string) {
	t.Helper()
	now := m.marker(t)
	assert.Equal(t, []string{action, stage}, []string{now.Action, now.Stage})
	assert.Equal(t, keepers, m.machines.Keep(m.from), "who has the former data beside")
	assert.True(t, m.Up().Unchanged())
}

// starts are how often the machines of all nodes were started, as a restart of Patroni has them be.
func (m *majors) starts() (all []int) {
	for _, name := range m.options.nodes {
		all = append(all, m.machines.Starts(name))
	}
	return all
}

// refuses has previews and updates be refused.
func (m *majors) refuses(t *testing.T, why string, args ...string) {
	t.Helper()
	before := m.marker(t)
	assert.Contains(t, m.PreviewFails(args...).Diagnostics, why)
	assert.Contains(t, m.UpFails(args...).Diagnostics, why)
	assert.Equal(t, before, m.marker(t))
}

func (m *majors) nothingToFinish() string {
	return fmt.Sprintf("there is nothing to finish: no upgrade from %s to %s was made", m.from, m.to)
}

// another is a node that is none of those.
func (m *majors) another(nodes ...string) string {
	return m.options.nodes[slices.IndexFunc(m.options.nodes, func(name string) bool { return !slices.Contains(nodes, name) })]
}

// targets are arguments that have an update make nothing but these.
func targets(names ...string) (args []string) {
	for _, name := range names {
		args = append(args, "--target", "**"+name)
	}
	return args
}
