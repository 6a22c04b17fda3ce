//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGaps measures for make bench how long each kind of client is without PostgreSQL, on bad days and good ones. No
// row that was acknowledged is lost.
func TestGaps(t *testing.T) {
	file := os.Getenv("QUORUM_BENCH")
	if file == "" {
		t.Skip("make bench BENCH=gaps measures")
	}
	p := newPlatform(t)
	testReplication(t, p)
	password := p.addPool(t)
	clients := map[string]func() error{}
	for kind, as := range map[string]struct {
		user, password string
		shift          int // of the ports
	}{
		"direct": {"postgres", p.database.password, 0},
		"pool":   {pooledUser, password, poolerPort - primaryPort},
	} {
		at := func(port int) func(statement string) error {
			return func(statement string) error {
				_, err := p.database.queryAs(as.user, as.password, port+as.shift, statement)
				return err
			}
		}
		clients[kind+" writer"] = func() error { return p.database.insert(at(primaryPort)) }
		clients[kind+" reader"] = func() error { return at(replicaPort)("SELECT count(*) FROM numbers") }
	}
	measured := map[string]map[string]time.Duration{}
	for _, event := range gapEvents {
		leader, standby := settled(t)
		var mend func()
		measured[event.what] = while(t, clients, func() { mend = event.begins(t, p, leader, standby) })
		t.Logf("%s: %v", event.what, measured[event.what])
		if mend != nil {
			mend()
		}
		p.database.hasAll(t)
	}
	text, err := json.Marshal(measured)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
}

// gapEvents are what happens to a cluster that has settled, each with what mends it.
var gapEvents = []struct {
	what   string
	begins func(t *testing.T, p platform, leader, standby string) (mend func())
}{
	{"switchover", func(t *testing.T, _ platform, leader, standby string) func() {
		switchOver(t, leader, standby)
		return nil
	}},
	{"leader killed", func(t *testing.T, _ platform, leader, _ string) func() {
		machine(t, "off", leader)
		return func() { machine(t, "reboot", leader) }
	}},
	{"leader isolated", func(t *testing.T, _ platform, leader, _ string) func() {
		isolate(t, "add", leader)
		return func() { isolate(t, "del", leader) }
	}},
	{"balancer killed", func(t *testing.T, _ platform, _, _ string) func() {
		holder := holderOf(t, sharedIP)
		machine(t, "off", holder)
		return func() { machine(t, "reboot", holder) }
	}},
	{"balancer rebuilt", func(t *testing.T, p platform, _, _ string) func() {
		p.postgres.Up("--replace", "**main-"+holderOf(t, sharedIP)+"-domain")
		return nil
	}},
	{"roll of all", func(t *testing.T, p platform, _, _ string) func() {
		p.wantsMemory(t)
		p.postgres.Up()
		return nil
	}},
}
