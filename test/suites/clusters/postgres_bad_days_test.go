package clusters

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDatabaseChangedBack has what restarts Patroni reach a node, and the program
// taken back before a gate saw that: the node is asked about all the same.
func TestDatabaseChangedBack(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.Up()
	d.change(func(o *databaseOptions) { o.patroni = ", namespace: /service//" })
	d.UpKilled(updates("PostgresHealth", "main-postgres-1"))
	d.Unlock()
	d.World.Fail("update", "Domain", "postgres-1", "libvirt: connection lost")
	d.change(func(o *databaseOptions) { o.patroni, o.limit = "", "60s" })
	d.UpFails()
	d.World.Heal("update", "Domain", "postgres-1")
	time.Sleep(10 * time.Second) // another one may take over
	other := d.follower(t, "postgres-1")
	d.machines.Off(other)
	time.Sleep(8 * time.Second)
	d.World.Forget()
	d.change(func(o *databaseOptions) { o.limit = "40s" })
	assert.Contains(t, d.UpFails().Diagnostics, "postgres-1 must not restart now")
	assert.NotContains(t, strings.Join(d.World.Log("Domain"), "\n"), "update end Domain postgres-1", "it was not swapped")
	d.machines.Mend(other)
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	assert.Contains(t, databaseOrder(d.Up()), "update PostgresHealth postgres-1", "its gate sees what it has")
	assert.True(t, d.Up().Unchanged())
}

// TestDatabasePaused has nothing handed to a node while nobody could take over.
func TestDatabasePaused(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.Up()
	d.pause(t, true)
	d.World.Forget()
	d.change(func(o *databaseOptions) { o.params, o.limit = "work_mem: 9MB", "60s" })
	assert.Contains(t, d.UpFails().Diagnostics, "postgres-1 must not change now: the cluster is paused (maintenance mode)")
	assert.NotContains(t, strings.Join(d.World.Log("Domain"), "\n"), "update end Domain postgres", "no drive was swapped")
	d.pause(t, false)
	d.change(func(o *databaseOptions) { o.limit = "300s" })
	d.Up()
	assert.Contains(t, strings.Join(d.World.Log("Domain"), "\n"), "update end Domain postgres-1")
	assert.True(t, d.Up().Unchanged())
}

// pause does what patronictl does.
func (d *database) pause(t *testing.T, paused bool) {
	t.Helper()
	const key = "/service/main/config"
	etcd := d.etcd(t)
	got, err := etcd.Get(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, got.Kvs, 1)
	var config map[string]any
	require.NoError(t, json.Unmarshal(got.Kvs[0].Value, &config))
	config["pause"] = paused
	text, err := json.Marshal(config)
	require.NoError(t, err)
	_, err = etcd.Put(t.Context(), key, string(text))
	require.NoError(t, err)
	time.Sleep(5 * time.Second) // all nodes have looked
}

// follower is a node that does not lead, and is not the one given.
func (d *database) follower(t *testing.T, but string) string {
	t.Helper()
	for _, name := range d.followers(t) {
		if name != but {
			return name
		}
	}
	require.Fail(t, "no other follower")
	return ""
}

// TestDatabaseTargetWhileOneIsOut has an update with --target rebuild the machine of a node
// that is out of the cluster: it comes first, and so in another order than last time.
func TestDatabaseTargetWhileOneIsOut(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.Up()
	out := d.options.nodes[2]
	if d.leader(t) == out {
		out = d.options.nodes[1]
	}
	before := d.World.Of(out)
	d.machines.Off(out)
	gates := []string{"--target", "**main-plan", "--target", "**main-without-" + out, "--target-dependents"}
	d.Up(append(gates, "--target-replace", d.urn(t, "Domain", out+"-domain"))...)
	assert.NotEqual(t, before, d.World.Of(out))
	d.Up()
	assert.True(t, d.Up().Unchanged())
}
