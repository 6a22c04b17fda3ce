package health_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const restorationURN = resource.URN("urn:pulumi:test::test::quorum:index:PostgresRestoration::restoration")

// decides is the id that a restoration gets, or "".
func (g *gate) decides(w *world) string {
	g.t.Helper()
	inputs := w.inputs()
	checked, err := g.Check(p.CheckRequest{Urn: restorationURN, Inputs: toMap(map[string]any{
		"nodes": inputs["nodes"], "caCert": inputs["caCert"], "clientCert": inputs["clientCert"], "clientKey": inputs["clientKey"], "source": "a",
	})})
	require.NoError(g.t, err)
	require.Empty(g.t, checked.Failures)
	made, err := g.Create(p.CreateRequest{Urn: restorationURN, Properties: checked.Inputs})
	require.NoError(g.t, err)
	return made.Properties.Get("restoration").AsString()
}

// TestRestorationOfNodesThatStartAgain has a cluster not taken for lost whose nodes do not answer just for a moment: etcd
// would be told to forget it.
func TestRestorationOfNodesThatStartAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 214, "postgres-1", "postgres-2")
	g := newGate(t, w.inputs())
	w.later(func() { w.up() })
	assert.Empty(t, g.decides(w))
	w.change(func() { w.nodes[0].blank, w.nodes[1].blank = true, true })
	assert.NotEmpty(t, g.decides(w))
}
