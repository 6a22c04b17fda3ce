//go:build e2e

package e2e

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// testIsolated cuts the leader off from etcd and from the other nodes. The load
// balancer still reaches it.
func testIsolated(t *testing.T, p platform) {
	leader, _ := settled(t)
	p.database.whileWriting(t, func() { isolate(t, "add", leader) })
	said, err := tryPsql(leader, "SELECT pg_is_in_recovery()")
	assert.True(t, err != nil || said == "t", "a second node takes writes, beside the one that acknowledged one")
	isolate(t, "del", leader)
	now, _ := settled(t)
	assert.NotEqual(t, leader, now)
	noneForgotten(t)
	p.database.hasAll(t)
}

// isolate cuts a node off from etcd and the other nodes, or connects it again.
func isolate(t *testing.T, verb, node string) {
	t.Helper()
	for _, other := range slices.Concat(members, nodes) {
		if other != node {
			on(t, node, "ip", "route", verb, "blackhole", addresses[other])
		}
	}
}
