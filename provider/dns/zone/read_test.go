package zone_test

import (
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefreshOfHealth has a refresh see what servers lack, and the update after it wait.
func TestRefreshOfHealth(t *testing.T) {
	t.Parallel()
	a, b := newServer(t, serves(7, "")), newServer(t, serves(7, ""))
	r := newResource(t, "DnsHealth")
	inputs := r.check(t, gate([]*server{a, b}, map[string]property.Value{"serial": property.New(7.0)}))
	made, err := r.server.Create(p.CreateRequest{Urn: r.urn, Properties: inputs, Timeout: 20})
	require.NoError(t, err)
	refresh := func() p.ReadResponse {
		read, err := r.server.Read(p.ReadRequest{ID: "gate", Urn: r.urn, Inputs: inputs, Properties: made.Properties})
		require.NoError(t, err)
		return read
	}
	set := func(zone string) { b.Store(&zone) }
	set("")
	back := time.AfterFunc(2*time.Second, func() { set(serves(7, "")) })
	t.Cleanup(func() { back.Stop() })
	well := refresh()
	assert.Equal(t, inputs, well.Inputs, "one that is slow")
	assert.Equal(t, made.Properties, well.Properties, "one that is slow")

	set("")
	sick := refresh()
	assert.Equal(t, b.address+": it answers REFUSED for example.org.", sick.Inputs.Get("triggers").AsMap().Get("seen").AsString())
	diff, err := r.server.Diff(p.DiffRequest{ID: "gate", Urn: r.urn, State: sick.Properties, OldInputs: sick.Inputs, Inputs: inputs})
	require.NoError(t, err)
	require.True(t, diff.HasChanges)
	update := func() error {
		_, err := r.server.Update(p.UpdateRequest{ID: "gate", Urn: r.urn, State: sick.Properties, OldInputs: sick.Inputs, Inputs: inputs, Timeout: 10})
		return err
	}
	require.ErrorContains(t, update(), "timed out after 10s: "+b.address+": it answers REFUSED")
	set(serves(8, ""))
	require.NoError(t, update())

	inputs = inputs.Set("skipHealthChecks", property.New(true))
	set("")
	assert.Equal(t, inputs, refresh().Inputs, "skipHealthChecks asks nobody")
}
