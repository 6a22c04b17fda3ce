package zone_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// resource does with the provider what the engine does.
type resource struct {
	t             testing.TB
	server        integration.Server
	urn           urn.URN
	id            string
	inputs, state property.Map
}

func newResource(t testing.TB, kind string) *resource {
	t.Helper()
	quorum, err := provider.New()
	require.NoError(t, err)
	server, err := integration.NewServer(t.Context(), provider.Name, semver.MustParse(version.String()), integration.WithProvider(quorum))
	require.NoError(t, err)
	return &resource{t: t, server: server, urn: urn.URN("urn:pulumi:stack::project::quorum:index:" + kind + "::it")}
}

// check is the inputs with their defaults.
func (r *resource) check(t testing.TB, inputs map[string]property.Value) property.Map {
	t.Helper()
	checked, err := r.server.Check(p.CheckRequest{Urn: r.urn, State: r.inputs, Inputs: property.NewMap(inputs)})
	require.NoError(t, err)
	require.Empty(t, checked.Failures)
	return checked.Inputs
}

func (r *resource) diff(t testing.TB, inputs property.Map) p.DiffResponse {
	t.Helper()
	diff, err := r.server.Diff(p.DiffRequest{ID: r.id, Urn: r.urn, State: r.state, OldInputs: r.inputs, Inputs: inputs})
	require.NoError(t, err)
	return diff
}

// up makes it so, and says whether there was something to do.
func (r *resource) up(t testing.TB, inputs map[string]property.Value) (changed bool, err error) {
	t.Helper()
	checked := r.check(t, inputs)
	if r.id == "" {
		made, err := r.server.Create(p.CreateRequest{Urn: r.urn, Properties: checked})
		if err == nil {
			r.id, r.inputs, r.state = made.ID, checked, made.Properties
		}
		return true, err
	}
	diff := r.diff(t, checked)
	if !diff.HasChanges {
		return false, nil
	}
	for path, change := range diff.DetailedDiff {
		require.NotContains(t, change.Kind, "replace", path)
	}
	made, err := r.server.Update(p.UpdateRequest{ID: r.id, Urn: r.urn, State: r.state, OldInputs: r.inputs, Inputs: checked})
	if err == nil {
		r.inputs, r.state = checked, made.Properties
	}
	return true, err
}

// refresh reads it.
func (r *resource) refresh(t testing.TB) {
	t.Helper()
	read, err := r.server.Read(p.ReadRequest{ID: r.id, Urn: r.urn, Properties: r.state, Inputs: r.inputs})
	require.NoError(t, err)
	r.id, r.inputs, r.state = read.ID, read.Inputs, read.Properties
}

// elsewhere is the resource for another run of the provider, in which no
// program has been seen.
func (r *resource) elsewhere(t testing.TB) *resource {
	t.Helper()
	other := *r
	other.server = newResource(t, "DnsZone").server
	return &other
}

// remove does what the engine does in an update whose program has the zone no more.
func (r *resource) remove() error {
	r.t.Helper()
	next := r.elsewhere(r.t)
	_, err := next.server.Check(p.CheckRequest{Urn: "urn:pulumi:stack::project::quorum:index:DnsHealth::other"})
	require.NoError(r.t, err)
	return next.erase()
}

func (r *resource) erase() error {
	return r.server.Delete(p.DeleteRequest{ID: r.id, Urn: r.urn, Properties: r.state})
}

// cluster is an etcd with a user who may do just what a zone needs.
type cluster struct {
	embedetcd.Etcd
	root *clientv3.Client
}

func newCluster(t testing.TB) cluster {
	t.Helper()
	c := cluster{Etcd: embedetcd.Start(t, false)}
	c.root = c.Root(t)
	do := func(_ any, err error) { t.Helper(); require.NoError(t, err) }
	do(c.root.RoleAdd(t.Context(), "zones"))
	do(c.root.RoleGrantPermission(t.Context(), "zones", "/zones/", clientv3.GetPrefixRangeEnd("/zones/"), clientv3.PermissionType(clientv3.PermReadWrite)))
	for _, user := range []string{"dns", "other"} {
		do(c.root.UserAdd(t.Context(), user, "secret word"))
		do(c.root.UserGrantRole(t.Context(), user, "zones"))
	}
	return c
}

func (c cluster) connection(t testing.TB, user string) property.Value {
	t.Helper()
	return property.New(map[string]property.Value{
		"endpoints": property.New([]property.Value{property.New(c.Endpoint)}), "caCert": property.New(embedetcd.PKI(t, "ca.crt")),
		"username": property.New(user), "password": property.New("secret word").WithSecret(true),
	})
}

// zone are inputs with one address.
func (c cluster) zone(t testing.TB, address string, more ...map[string]property.Value) map[string]property.Value {
	t.Helper()
	record := map[string]property.Value{"name": property.New("www"), "addresses": property.New([]property.Value{property.New(address)})}
	inputs := map[string]property.Value{
		"etcd": c.connection(t, "dns"), "domain": property.New("example.org"),
		"nameservers": property.New([]property.Value{property.New("ns.example.net.")}),
		"records":     property.New(map[string]property.Value{"a": property.New([]property.Value{property.New(record)})}),
	}
	for _, m := range more {
		maps.Copy(inputs, m)
	}
	return inputs
}

func (c cluster) get(t testing.TB) (text string, revision int64) {
	t.Helper()
	found, err := c.root.Get(t.Context(), "/zones/example.org")
	require.NoError(t, err)
	for _, kv := range found.Kvs {
		text, revision = string(kv.Value), kv.ModRevision
	}
	return text, revision
}

func (c cluster) put(t testing.TB, text string) {
	t.Helper()
	_, err := c.root.Put(t.Context(), "/zones/example.org", text)
	require.NoError(t, err)
}

// kept is what etcd has, wants the resource to know it, and gives its serial.
func (c cluster) kept(t testing.TB, r *resource, address string) (serial float64) {
	t.Helper()
	serial = r.state.Get("serial").AsNumber()
	text, _ := c.get(t)
	require.Equal(t, fmt.Sprintf(`example.org.	300	IN	SOA	ns.example.net. hostmaster.example.org. %.0f 86400 7200 3600000 60
example.org.	300	IN	NS	ns.example.net.
www.example.org.	300	IN	A	%s
`, serial, address), text)
	require.Equal(t, text, r.state.Get("zone").AsString())
	require.Equal(t, "/zones/example.org", r.state.Get("key").AsString())
	return serial
}

func up(t testing.TB, r *resource, inputs map[string]property.Value) {
	t.Helper()
	changed, err := r.up(t, inputs)
	require.NoError(t, err)
	require.True(t, changed)
}

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
		"{}": "something that is no zone",
	} {
		_, err := c.root.Delete(t.Context(), "/zones/example.org")
		require.NoError(t, err)
		c.put(t, text)
		_, err = newResource(t, "DnsZone").up(t, c.zone(t, "192.0.2.1"))
		require.ErrorContains(t, err, "/zones/example.org is in etcd already: "+there+". "+
			"To go on from it, `pulumi import quorum:index:DnsZone it /zones/example.org`; to do without it, `etcdctl del /zones/example.org`")
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
	require.ErrorContains(t, err, "is in etcd already", "somebody has kept it since")
}

func TestDeletionLeavesWhatOthersChanged(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	up(t, r, c.zone(t, "192.0.2.1"))
	byHand := "@ 60 SOA a b 3000000000 1 1 1 1\nwww 60 A 192.0.2.9\n"
	c.put(t, byHand)
	require.ErrorContains(t, r.remove(), "/zones/example.org was changed in etcd by someone else: `pulumi refresh` shows how")
	kept, _ := c.get(t)
	require.Equal(t, byHand, kept)
	r.refresh(t)
	require.NoError(t, r.remove())
	kept, _ = c.get(t)
	require.Empty(t, kept)
}

func TestDrift(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	up(t, r, c.zone(t, "192.0.2.1"))
	before := r.inputs
	r.refresh(t)
	require.Equal(t, before, r.inputs, "nothing has changed")

	byHand := "@ 60 SOA a b 3000000000 1 1 1 1\nwww 60 A 192.0.2.9\n" // ahead of the time
	c.put(t, byHand)
	_, err := r.up(t, c.zone(t, "192.0.2.2"))
	require.ErrorContains(t, err, "/zones/example.org was changed in etcd by someone else: `pulumi refresh` shows how, and the next `pulumi up` goes on from there")
	kept, _ := c.get(t)
	require.Equal(t, byHand, kept)

	r.refresh(t)
	require.Equal(t, byHand, r.inputs.Get("zoneFile").AsString())
	require.True(t, r.inputs.Get("records").IsNull())
	require.InDelta(t, 3000000000, r.state.Get("serial").AsNumber(), 0)
	up(t, r, c.zone(t, "192.0.2.2"))
	require.InDelta(t, 3000000001, c.kept(t, r, "192.0.2.2"), 0)

	c.put(t, "no zone")
	serial := r.state.Get("serial").AsNumber()
	r.refresh(t)
	up(t, r, c.zone(t, "192.0.2.2"))
	require.Greater(t, c.kept(t, r, "192.0.2.2"), serial)

	_, err = c.root.Delete(t.Context(), "/zones/example.org")
	require.NoError(t, err)
	_, err = r.up(t, c.zone(t, "192.0.2.3"))
	require.ErrorContains(t, err, "was changed in etcd by someone else")
	r.refresh(t)
	require.Empty(t, r.id, "it is to be made again")
	up(t, r, c.zone(t, "192.0.2.3"))
	c.kept(t, r, "192.0.2.3")
}

func TestAway(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	up(t, r, c.zone(t, "192.0.2.1"))
	c.Stop()
	_, err := r.up(t, c.zone(t, "192.0.2.2"))
	require.ErrorContains(t, err, "etcd does not answer at "+c.Endpoint)
	was := r.state
	r.refresh(t)
	require.Equal(t, was, r.state, "a refresh that failed would end the update that brings etcd back")
	require.ErrorContains(t, r.remove(), "zone /zones/example.org was not deleted from etcd: etcd does not answer at "+c.Endpoint)
	require.NoError(t, r.elsewhere(t).erase(), "without a program, what is in a cluster that is gone is gone")

	checked := r.check(t, c.zone(t, "192.0.2.3"))
	made, err := r.server.Create(p.CreateRequest{Urn: r.urn, Properties: checked, DryRun: true})
	require.NoError(t, err, "preview asks nobody")
	require.True(t, made.Properties.Get("serial").IsComputed())
	changed, err := r.server.Update(p.UpdateRequest{ID: r.id, Urn: r.urn, State: r.state, OldInputs: r.inputs, Inputs: checked, DryRun: true})
	require.NoError(t, err)
	require.True(t, changed.Properties.Get("serial").IsComputed())
	require.Equal(t, "/zones/example.org", changed.Properties.Get("key").AsString())
	same := r.check(t, c.zone(t, "192.0.2.1", map[string]property.Value{"etcd": c.connection(t, "other")}))
	kept, err := r.server.Update(p.UpdateRequest{ID: r.id, Urn: r.urn, State: r.state, OldInputs: r.inputs, Inputs: same, DryRun: true})
	require.NoError(t, err)
	require.Equal(t, r.state.Get("serial"), kept.Properties.Get("serial"), "known, for those who wait for it")
}

func TestImport(t *testing.T) { // it sets the environment, so not beside others
	c, r := newCluster(t), newResource(t, "DnsZone")
	ca := filepath.Join(t.TempDir(), "ca.crt")
	require.NoError(t, os.WriteFile(ca, []byte(embedetcd.PKI(t, "ca.crt")), 0o600))
	read := func() (p.ReadResponse, error) {
		return r.server.Read(p.ReadRequest{ID: "/zones/example.org", Urn: r.urn})
	}
	_, err := read()
	require.ErrorContains(t, err, "to import, say how to reach etcd as for etcdctl: ETCDCTL_ENDPOINTS")
	for name, value := range map[string]string{"ENDPOINTS": "https://" + c.Endpoint, "CACERT": ca, "USER": "dns:secret word"} {
		t.Setenv("ETCDCTL_"+name, value)
	}
	found, err := read()
	require.NoError(t, err)
	require.Empty(t, found.ID, "there is none")
	c.put(t, "no zone")
	_, err = read()
	require.ErrorContains(t, err, "/zones/example.org holds no zone of example.org that could be imported")

	text := "@ 300 SOA ns.example.net. hostmaster 7 86400 7200 3600000 60\n@ 300 NS ns.example.net.\nwww 300 A 192.0.2.1\n"
	c.put(t, text)
	found, err = read()
	require.NoError(t, err)
	require.Equal(t, text, found.Inputs.Get("zoneFile").AsString())
	require.Equal(t, "/zones/", found.Inputs.Get("keyPrefix").AsString())
	require.NotContains(t, fmt.Sprint(found.Inputs), "secret word", "it would be in the program in clear")
	require.True(t, found.Properties.Get("etcd").AsMap().Get("password").Secret())

	r.id, r.inputs, r.state = found.ID, found.Inputs, found.Properties
	up(t, r, c.zone(t, "192.0.2.1"))
	kept, _ := c.get(t)
	require.Equal(t, text, kept, "the same zone is left as it is")
	up(t, r, c.zone(t, "192.0.2.2"))
	require.Greater(t, c.kept(t, r, "192.0.2.2"), 7.0)
}
