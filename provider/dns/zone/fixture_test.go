package zone_test

import (
	"fmt"
	"maps"
	"testing"

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
