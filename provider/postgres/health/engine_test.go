package health_test

import (
	"testing"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

const gateURN = urn.URN("urn:pulumi:stack::project::quorum:index:PostgresHealth::gate")

// gate is a PostgresHealth in the hands of an engine.
type gate struct {
	integration.Server
	t       *testing.T
	inputs  property.Map
	state   property.Map
	timeout float64 // s
}

func newGate(t *testing.T, inputs map[string]any) *gate {
	t.Helper()
	all, err := provider.New()
	require.NoError(t, err)
	server, err := integration.NewServer(t.Context(), provider.Name, semver.MustParse(version.String()), integration.WithProvider(all))
	require.NoError(t, err)
	g := &gate{Server: server, t: t, timeout: 20}
	g.inputs = g.check(inputs)
	return g
}

func (g *gate) check(inputs map[string]any) property.Map {
	g.t.Helper()
	checked, err := g.Check(p.CheckRequest{Urn: gateURN, Inputs: toMap(inputs)})
	require.NoError(g.t, err)
	require.Empty(g.t, checked.Failures)
	return checked.Inputs
}

func (g *gate) create(preview bool) error {
	g.t.Helper()
	made, err := g.Create(p.CreateRequest{Urn: gateURN, Properties: g.inputs, Timeout: g.timeout, DryRun: preview})
	if err == nil {
		assert.Equal(g.t, "gate", made.ID)
		g.state = made.Properties
	}
	return err
}

func (g *gate) update(inputs map[string]any) error {
	g.t.Helper()
	checked := g.check(inputs)
	diff, err := g.Diff(p.DiffRequest{ID: "gate", Urn: gateURN, State: g.state, OldInputs: g.inputs, Inputs: checked})
	require.NoError(g.t, err)
	require.True(g.t, diff.HasChanges)
	for name, d := range diff.DetailedDiff {
		assert.Contains(g.t, []p.DiffKind{p.Add, p.Delete, p.Update}, d.Kind, name)
	}
	made, err := g.Update(p.UpdateRequest{ID: "gate", Urn: gateURN, State: g.state, OldInputs: g.inputs, Inputs: checked, Timeout: g.timeout})
	if err == nil {
		g.state, g.inputs = made.Properties, checked
	}
	return err
}

// inputs are those of a gate of all nodes of w.
func (w *world) inputs(more ...any) map[string]any {
	w.t.Helper()
	cert, key := texts(w.t, w.ca.issue(w.t, ""))
	in := map[string]any{"caCert": w.ca.pem, "clientCert": cert, "clientKey": key}
	var nodes []any
	for _, n := range w.nodes {
		nodes = append(nodes, map[string]any{"name": n.name, "ip": n.ip, "apiPort": w.port})
	}
	in["nodes"] = nodes
	for i := 0; i < len(more); i += 2 {
		in[more[i].(string)] = more[i+1]
	}
	return in
}

func list(value property.Value) (texts []string) {
	for _, v := range value.AsArray().All {
		texts = append(texts, v.AsString())
	}
	return texts
}

func toMap(in map[string]any) property.Map {
	all := map[string]property.Value{}
	for name, v := range in {
		all[name] = toValue(v)
	}
	return property.NewMap(all)
}

func toValue(v any) property.Value {
	switch v := v.(type) {
	case string:
		return property.New(v)
	case int:
		return property.New(float64(v))
	case bool:
		return property.New(v)
	case []any:
		list := []property.Value{}
		for _, item := range v {
			list = append(list, toValue(item))
		}
		return property.New(list)
	}
	return property.New(toMap(v.(map[string]any)))
}
