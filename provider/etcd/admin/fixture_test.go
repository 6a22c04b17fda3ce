package admin_test

import (
	"strings"
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

// world is an etcd with authentication on, its root, and the provider.
type world struct {
	integration.Server
	t    *testing.T
	etcd embedetcd.Etcd
	root *clientv3.Client
}

func newWorld(t *testing.T) world {
	t.Helper()
	etcd := embedetcd.Start(t, false)
	return world{newServer(t), t, etcd, etcd.Root(t)}
}

func newServer(t *testing.T) integration.Server {
	t.Helper()
	prov, err := provider.New()
	require.NoError(t, err)
	s, err := integration.NewServer(t.Context(), provider.Name, semver.MustParse(version.String()), integration.WithProvider(prov))
	require.NoError(t, err)
	return s
}

// one is a resource in the state, as the engine keeps it.
type one struct {
	w             world
	kind, id      string
	inputs, state property.Map
	failed        bool // to initialize
}

func urnOf(kind string) urn.URN { return named("app", kind) }

func named(name, kind string) urn.URN {
	return urn.URN("urn:pulumi:stack::project::quorum:index:" + kind + "::" + name)
}

// checked are inputs with a connection, unless they have one.
func (w world) checked(kind string, in property.Map) property.Map {
	w.t.Helper()
	return w.checkedAs("app", kind, in)
}

// checkedAs are those of the resource of that name.
func (w world) checkedAs(name, kind string, in property.Map) property.Map {
	w.t.Helper()
	if in.Get("etcd").IsNull() {
		in = in.Set("etcd", connection(w.etcd.Connection(w.t)))
	}
	resp, err := w.Check(p.CheckRequest{Urn: named(name, kind), Inputs: in})
	require.NoError(w.t, err)
	require.Empty(w.t, resp.Failures)
	return resp.Inputs
}

func (w world) create(kind string, in property.Map) (*one, error) {
	w.t.Helper()
	o := &one{w: w, kind: kind, inputs: w.checked(kind, in)}
	resp, err := w.Create(p.CreateRequest{Urn: urnOf(kind), Properties: o.inputs})
	o.id, o.state, o.failed = resp.ID, resp.Properties, resp.PartialState != nil
	return o, reasons(err, resp.PartialState)
}

func (w world) made(kind string, in property.Map) *one {
	w.t.Helper()
	o, err := w.create(kind, in)
	require.NoError(w.t, err)
	return o
}

// imported is a resource that is known by its id only.
func (w world) imported(kind, id string) (*one, error) {
	o := &one{w: w, kind: kind, id: id}
	return o, o.refresh()
}

// changes are what an update to other inputs would do, by path.
func (o *one) changes(in property.Map) map[string]p.DiffKind {
	o.w.t.Helper()
	resp, err := o.w.Diff(p.DiffRequest{
		Urn: urnOf(o.kind), ID: o.id, State: o.state, OldInputs: o.inputs, Inputs: o.w.checked(o.kind, in),
	})
	require.NoError(o.w.t, err)
	kinds := map[string]p.DiffKind{}
	for path, change := range resp.DetailedDiff {
		kinds[path] = change.Kind
	}
	require.Equal(o.w.t, len(kinds) > 0, resp.HasChanges)
	return kinds
}

// update does what the engine does with other inputs.
func (o *one) update(in property.Map) error {
	o.w.t.Helper()
	if len(o.changes(in)) == 0 && !o.failed {
		return nil
	}
	checked := o.w.checked(o.kind, in)
	resp, err := o.w.Update(p.UpdateRequest{Urn: urnOf(o.kind), ID: o.id, State: o.state, OldInputs: o.inputs, Inputs: checked})
	if err == nil || resp.PartialState != nil {
		o.inputs, o.state, o.failed = checked, resp.Properties, resp.PartialState != nil
	}
	return reasons(err, resp.PartialState)
}

// by has the state and its inputs reach etcd at another endpoint.
func (o *one) by(endpoint string) *one {
	o.w.t.Helper()
	endpoints := value([]string{endpoint})
	o.inputs = o.inputs.Set("etcd", property.New(o.inputs.Get("etcd").AsMap().Set("endpoints", endpoints)))
	o.state = o.state.Set("etcd", property.New(o.state.Get("etcd").AsMap().Set("endpoints", endpoints)))
	return o
}

// elsewhere is the resource for another run of the provider, in which no
// program has been seen.
func (o *one) elsewhere() *one {
	o.w.t.Helper()
	other := *o
	other.w.Server = newServer(o.w.t)
	return &other
}

func (o *one) refresh() error {
	resp, err := o.w.Read(p.ReadRequest{Urn: urnOf(o.kind), ID: o.id, Properties: o.state, Inputs: o.inputs})
	if err == nil {
		o.id, o.inputs, o.state, o.failed = resp.ID, resp.Inputs, resp.Properties, false
	}
	return err
}

// delete does what the engine does in an update whose program has the resource
// no more.
func (o *one) delete() error {
	o.w.t.Helper()
	next := o.elsewhere()
	c := o.w.etcd.Connection(o.w.t)
	c.Endpoints = []string{"127.0.0.1:1"} // of another cluster
	next.w.checkedAs("other", "EtcdKey", object("key", "/other", "value", "", "etcd", connection(c)))
	return next.erase()
}

// erase deletes it in the run that goes on.
func (o *one) erase() error {
	return o.w.Delete(p.DeleteRequest{Urn: urnOf(o.kind), ID: o.id, Properties: o.state, OldInputs: o.inputs})
}

// reasons is err as the engine shows it.
func reasons(err error, partial *p.InitializationFailed) error {
	if partial == nil {
		return err
	}
	return failure(strings.Join(partial.Reasons, "; "))
}

type failure string

func (f failure) Error() string { return string(f) }
