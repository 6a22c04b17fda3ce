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
	route := func(verb string) {
		for _, other := range slices.Concat(members, nodes) {
			if other != leader {
				on(t, leader, "ip", "route", verb, "blackhole", addresses[other])
			}
		}
	}
	p.database.whileWriting(t, func() { route("add") })
	said, err := tryPsql(leader, "SELECT pg_is_in_recovery()")
	assert.True(t, err != nil || said == "t", "a second node takes writes, beside the one that acknowledged one")
	route("del")
	now, _ := settled(t)
	assert.NotEqual(t, leader, now)
	noneForgotten(t)
	p.database.hasAll(t)
}
