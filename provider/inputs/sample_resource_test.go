package inputs_test

import (
	"context"
	"testing"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

// Thing is a custom resource that is as its inputs say.
type Thing struct{}

type ThingArgs struct {
	Name  *string           `pulumi:"name,optional" provider:"replaceOnChanges"`
	Auth  *Auth             `pulumi:"auth,optional"`
	Peers []Peer            `pulumi:"peers,optional"`
	Keys  map[string]string `pulumi:"keys,optional"`
	Pins  map[string]string `pulumi:"pins,optional" provider:"secret"`
	Token *string           `pulumi:"token,optional" provider:"secret"`
}

func (a ThingArgs) Validate() []check.Problem {
	var l check.List
	if len(*a.Name) > 9 {
		l.Add("name", "must be short, not %q", *a.Name)
	}
	if a.Auth != nil && len(a.Auth.Password) < 6 {
		l.Add("auth.password", "careless: %q is too short", a.Auth.Password)
	}
	for i, peer := range a.Peers {
		l.Check(check.Index("peers", i)+".ip", check.IP(peer.IP))
	}
	return l
}

// Hides the token, and the name unless its change replaces the thing.
func (Thing) Hides(_ urn.URN, path string) bool { return path == "token" || path == "name" }

func (Thing) Create(_ context.Context, req infer.CreateRequest[ThingArgs]) (infer.CreateResponse[ThingArgs], error) {
	return infer.CreateResponse[ThingArgs]{ID: *req.Inputs.Name, Output: req.Inputs}, nil
}

func (Thing) Update(_ context.Context, req infer.UpdateRequest[ThingArgs, ThingArgs]) (infer.UpdateResponse[ThingArgs], error) {
	return infer.UpdateResponse[ThingArgs]{Output: req.Inputs}, nil
}

func (Thing) Read(_ context.Context, req infer.ReadRequest[ThingArgs, ThingArgs]) (infer.ReadResponse[ThingArgs, ThingArgs], error) {
	token := "found"
	found := ThingArgs{Name: &req.ID, Token: &token, Auth: &Auth{Password: "found too"}}
	return infer.ReadResponse[ThingArgs, ThingArgs]{ID: req.ID, Inputs: found, State: found}, nil
}

// Note is a custom resource that has no outputs. It remembers what it was updated from.
type Note struct{ seen *[]string }

type NoteArgs struct {
	Text string `pulumi:"text"`
}

func (NoteArgs) Validate() []check.Problem { return nil }

func (Note) InputsOnly() {}

func (Note) Create(_ context.Context, req infer.CreateRequest[NoteArgs]) (infer.CreateResponse[NoteArgs], error) {
	return infer.CreateResponse[NoteArgs]{ID: req.Inputs.Text, Output: req.Inputs}, nil
}

func (n Note) Update(_ context.Context, req infer.UpdateRequest[NoteArgs, NoteArgs]) (infer.UpdateResponse[NoteArgs], error) {
	*n.seen = append(*n.seen, req.State.Text+", then "+req.Inputs.Text)
	return infer.UpdateResponse[NoteArgs]{Output: req.Inputs}, nil
}

const note = "urn:pulumi:stack::project::quorum:index:Note::note-1"

const thing = "urn:pulumi:stack::project::quorum:index:Thing::thing-1"

type things struct {
	integration.Server

	noted *[]string // what a Note was updated from, and to
}

func newThings(t *testing.T) things {
	t.Helper()
	noted := &[]string{}
	prov, err := infer.NewProviderBuilder().WithResources(inputs.Resource(Thing{}), inputs.Resource(Note{noted})).
		WithModuleMap(map[tokens.ModuleName]tokens.ModuleName{"inputs_test": "index"}).Build()
	require.NoError(t, err)
	s, err := integration.NewServer(t.Context(), "quorum", semver.MustParse("0.1.0"), integration.WithProvider(inputs.Provider(prov)))
	require.NoError(t, err)
	return things{s, noted}
}

// check gives the inputs as checked, and the problems.
func (s things) check(t *testing.T, pairs ...any) (property.Map, []string) {
	t.Helper()
	resp, err := s.Check(p.CheckRequest{Urn: thing, Inputs: object(pairs...).AsMap()})
	require.NoError(t, err)
	var reasons []string
	for _, f := range resp.Failures {
		assert.Empty(t, f.Property, "the engine would print its value")
		reasons = append(reasons, f.Reason)
	}
	return resp.Inputs, reasons
}

func pairs(v property.Value) (all []any) {
	for key, e := range v.AsMap().AllStable {
		all = append(all, key, e)
	}
	return all
}
