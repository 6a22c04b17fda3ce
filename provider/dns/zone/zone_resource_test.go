package zone_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"
)

func TestLife(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	begun := float64(time.Now().Unix())

	up(t, r, c.zone(t, "192.0.2.1"))
	require.Equal(t, "/zones/example.org", r.id)
	first := c.kept(t, r, "192.0.2.1")
	require.GreaterOrEqual(t, first, begun)
	require.True(t, r.state.Get("etcd").AsMap().Get("password").Secret())
	changed, err := r.up(t, c.zone(t, "192.0.2.1"))
	require.NoError(t, err)
	require.False(t, changed)

	up(t, r, c.zone(t, "192.0.2.2"))
	second := c.kept(t, r, "192.0.2.2")
	require.Greater(t, second, first)

	_, revision := c.get(t)
	up(t, r, c.zone(t, "192.0.2.2", map[string]property.Value{"etcd": c.connection(t, "other")}))
	_, untouched := c.get(t)
	require.Equal(t, revision, untouched, "another connection changes nothing in etcd")
	c.kept(t, r, "192.0.2.2")
	up(t, r, c.zone(t, "192.0.2.2", map[string]property.Value{"ttl": property.New(300.0)}))
	require.InDelta(t, second, c.kept(t, r, "192.0.2.2"), 0, "the same zone keeps its serial")

	require.NoError(t, r.remove())
	text, _ := c.get(t)
	require.Empty(t, text)
	require.NoError(t, r.remove(), "it is gone already")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	file := func(serial int, address string) map[string]property.Value {
		in := c.zone(t, "")
		delete(in, "nameservers")
		delete(in, "records")
		in["zoneFile"] = property.New(fmt.Sprintf("$TTL 300\n@ SOA ns.example.net. hostmaster %d 86400 7200 3600000 60\n@ NS ns.example.net.\nwww A %s ; here\n", serial, address))
		return in
	}
	up(t, r, file(2026010100, "192.0.2.1"))
	require.InDelta(t, 2026010100, c.kept(t, r, "192.0.2.1"), 0)
	up(t, r, file(2026010100, "192.0.2.2"))
	require.InDelta(t, 2026010101, c.kept(t, r, "192.0.2.2"), 0, "a forgotten serial")
	up(t, r, file(2026010103, "192.0.2.2"))
	require.InDelta(t, 2026010103, c.kept(t, r, "192.0.2.2"), 0)
	up(t, r, file(7, "192.0.2.2"))
	require.InDelta(t, 2026010103, c.kept(t, r, "192.0.2.2"), 0, "it never goes back")
	up(t, r, c.zone(t, "192.0.2.2"))
	require.InDelta(t, 2026010103, c.kept(t, r, "192.0.2.2"), 0, "the same zone, now as records")
}

func TestReplacement(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	up(t, r, c.zone(t, "192.0.2.1"))
	for name, value := range map[string]string{"domain": "example.com", "keyPrefix": "/zones/b/"} {
		diff := r.diff(t, r.check(t, c.zone(t, "192.0.2.1", map[string]property.Value{name: property.New(value)})))
		require.Contains(t, diff.DetailedDiff[name].Kind, "replace")
	}
}

func TestNothingIsAdopted(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for text, there := range map[string]string{
		"@ 60 SOA a b 7 1 1 1 1\nwww 60 A 192.0.2.9\n": "a zone with serial 7 and 2 records",
		"{}": "a value that is not a zone",
	} {
		_, err := c.root.Delete(t.Context(), "/zones/example.org")
		require.NoError(t, err)
		c.put(t, text)
		_, err = newResource(t, "DnsZone").up(t, c.zone(t, "192.0.2.1"))
		require.ErrorContains(t, err, "/zones/example.org already exists in etcd: "+there+". "+
			"To manage it here, `pulumi import quorum:index:DnsZone it /zones/example.org`; to discard it, `etcdctl del /zones/example.org`")
		kept, _ := c.get(t)
		require.Equal(t, text, kept)
	}
}

// TestKilledAfterCreation has an update end before the state is saved: the next
// one goes on with what it made, whose serial is of its time.
func TestKilledAfterCreation(t *testing.T) {
	t.Parallel()
	c, killed, r := newCluster(t), newResource(t, "DnsZone"), newResource(t, "DnsZone")
	up(t, killed, c.zone(t, "192.0.2.1"))
	_, revision := c.get(t)
	up(t, r, c.zone(t, "192.0.2.1"))
	require.Equal(t, killed.state.Get("serial"), r.state.Get("serial"))
	c.kept(t, r, "192.0.2.1")
	_, untouched := c.get(t)
	require.Equal(t, revision, untouched)
	up(t, r, c.zone(t, "192.0.2.2"))
	c.kept(t, r, "192.0.2.2")

	_, err := newResource(t, "DnsZone").up(t, c.zone(t, "192.0.2.2"))
	require.ErrorContains(t, err, "already exists in etcd", "somebody has kept it since")
}

func TestDeletionLeavesWhatOthersChanged(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	up(t, r, c.zone(t, "192.0.2.1"))
	byHand := "@ 60 SOA a b 3000000000 1 1 1 1\nwww 60 A 192.0.2.9\n"
	c.put(t, byHand)
	require.ErrorContains(t, r.remove(), "/zones/example.org was changed in etcd by someone else: `pulumi refresh` shows the change")
	kept, _ := c.get(t)
	require.Equal(t, byHand, kept)
	r.refresh(t)
	require.NoError(t, r.remove())
	kept, _ = c.get(t)
	require.Empty(t, kept)
}
