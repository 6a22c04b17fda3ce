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

	"github.com/pulumi-quorum/pulumi-quorum/provider"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// world is a PostgreSQL and the provider.
type world struct {
	integration.Server
	t  *testing.T
	pg *localpostgres.Server
}

func newWorld(t *testing.T) world {
	t.Helper()
	return world{newServer(t), t, localpostgres.Start(t)}
}

func newServer(t *testing.T) integration.Server {
	t.Helper()
	prov, err := provider.New()
	require.NoError(t, err)
	s, err := integration.NewServer(t.Context(), provider.Name, semver.MustParse(version.String()), integration.WithProvider(prov))
	require.NoError(t, err)
	return s
}

// connection are the inputs of one to these endpoints, or else to that of the server.
func (w world) connection(endpoints ...string) property.Map {
	if endpoints == nil {
		endpoints = []string{w.pg.Endpoint()}
	}
	return object("endpoints", endpoints, "caCert", w.pg.CACert(), "password", localpostgres.Password)
}

// one is a resource in the state, as the engine keeps it.
type one struct {
	w              world
	name, kind, id string
	inputs, state  property.Map
	failed         bool // to initialize
}

func (o *one) urn() urn.URN {
	return urn.URN("urn:pulumi:stack::project::quorum:index:" + o.kind + "::" + o.name)
}

func (w world) of(kind, name string) *one { return &one{w: w, kind: kind, name: name} }

// check are inputs with a connection, unless they have one.
func (o *one) check(before, in property.Map) (property.Map, []string) {
	o.w.t.Helper()
	if in.Get("connection").IsNull() {
		in = in.Set("connection", property.New(o.w.connection()))
	}
	resp, err := o.w.Check(p.CheckRequest{Urn: o.urn(), State: before, Inputs: in})
	require.NoError(o.w.t, err)
	var refused []string
	for _, f := range resp.Failures {
		refused = append(refused, f.Reason)
	}
	return resp.Inputs, refused
}

func (o *one) checked(in property.Map) property.Map {
	o.w.t.Helper()
	inputs, refused := o.check(o.inputs, in)
	require.Empty(o.w.t, refused)
	return inputs
}

// create creates the resource as in another run of the engine.
func (o *one) create(in property.Map) error {
	o.w.t.Helper()
	inputs := o.checked(in)
	resp, err := o.w.Create(p.CreateRequest{Urn: o.urn(), Properties: inputs})
	if err == nil || resp.PartialState != nil {
		o.id, o.inputs, o.state, o.failed = resp.ID, inputs, resp.Properties, resp.PartialState != nil
	}
	return reasons(err, resp.PartialState)
}

func (w world) made(kind, name string, in property.Map) *one {
	w.t.Helper()
	o := w.of(kind, name)
	require.NoError(w.t, o.create(in))
	return o
}

// changes are what an update to other inputs would do, by path.
func (o *one) changes(in property.Map) map[string]p.DiffKind {
	o.w.t.Helper()
	resp, err := o.w.Diff(p.DiffRequest{Urn: o.urn(), ID: o.id, State: o.state, OldInputs: o.inputs, Inputs: o.checked(in)})
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
	inputs := o.checked(in)
	resp, err := o.w.Update(p.UpdateRequest{Urn: o.urn(), ID: o.id, State: o.state, OldInputs: o.inputs, Inputs: inputs})
	if err == nil || resp.PartialState != nil {
		o.inputs, o.state, o.failed = inputs, resp.Properties, resp.PartialState != nil
	}
	return reasons(err, resp.PartialState)
}

func (o *one) refresh() error {
	resp, err := o.w.Read(p.ReadRequest{Urn: o.urn(), ID: o.id, Properties: o.state, Inputs: o.inputs})
	if err == nil {
		o.id, o.inputs, o.state, o.failed = resp.ID, resp.Inputs, resp.Properties, false
	}
	if o.id == "" { // the engine forgets it
		o.inputs = property.Map{}
	}
	return err
}

// delete does what the engine does in an update whose program has the resource no more.
func (o *one) delete() error {
	o.w.t.Helper()
	o.w.Server = newServer(o.w.t)
	o.w.of("PostgresUser", "another").checked(object("connection", o.w.connection("127.0.0.1:1")))
	return o.erase()
}

// destroy deletes it in a run without a program.
func (o *one) destroy() error {
	o.w.t.Helper()
	o.w.Server = newServer(o.w.t)
	return o.erase()
}

func (o *one) erase() error {
	return o.w.Delete(p.DeleteRequest{Urn: o.urn(), ID: o.id, Properties: o.state, OldInputs: o.inputs})
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
