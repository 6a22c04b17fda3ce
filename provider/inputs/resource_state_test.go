package inputs_test

import (
	"encoding/json"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestResourceSecretsAreOne has a map that is secret be one secret, unless some of it is not known: then each is, and what
// differs is found by its key either way. States of earlier releases have each by itself.
func TestResourceSecretsAreOne(t *testing.T) {
	t.Parallel()
	s := newThings(t)
	known, problems := s.check(t, "pins", object("a", text("hunter1"), "b", text("hunter2")))
	require.Empty(t, problems)
	assert.True(t, known.Get("pins").Secret())
	assert.False(t, known.Get("pins").AsMap().Get("a").Secret(), "not one more in it")

	partly, problems := s.check(t, "pins", object("a", text("hunter1"), "b", unknown))
	require.Empty(t, problems)
	assert.False(t, partly.Get("pins").Secret(), "the engine would take all of it for unknown")
	assert.True(t, partly.Get("pins").AsMap().Get("a").Secret())
	assert.Equal(t, "hunter1", partly.Get("pins").AsMap().Get("a").AsString())

	earlier := known.Set("pins", object("a", text("hunter1").WithSecret(true), "b", text("hunter2").WithSecret(true)))
	for _, before := range []property.Map{known, earlier} {
		resp, err := s.Diff(p.DiffRequest{Urn: thing, ID: "x", OldInputs: before, State: before, Inputs: known})
		require.NoError(t, err)
		assert.False(t, resp.HasChanges)
		resp, err = s.Diff(p.DiffRequest{Urn: thing, ID: "x", OldInputs: before, State: before, Inputs: partly})
		require.NoError(t, err)
		assert.Equal(t, map[string]p.PropertyDiff{"pins.b": {Kind: p.Update, InputDiff: true}}, resp.DetailedDiff)
	}
}

// TestResourceOfInputsOnly keeps nothing twice, and knows what was before by the inputs, also of a state that has
// outputs of an earlier release.
func TestResourceOfInputsOnly(t *testing.T) {
	t.Parallel()
	s := newThings(t)
	in := object("text", text("a")).AsMap()
	created, err := s.Create(p.CreateRequest{Urn: note, Properties: in})
	require.NoError(t, err)
	assert.Equal(t, "a", created.ID)
	assert.Zero(t, created.Properties.Len())
	for _, state := range []property.Map{{}, in} {
		updated, err := s.Update(p.UpdateRequest{Urn: note, ID: "a", State: state, OldInputs: in, Inputs: object("text", text("b")).AsMap()})
		require.NoError(t, err)
		assert.Zero(t, updated.Properties.Len())
		read, err := s.Read(p.ReadRequest{Urn: note, ID: "a", Properties: state, Inputs: in})
		require.NoError(t, err)
		assert.Equal(t, "a", read.ID)
		assert.Equal(t, in, read.Inputs)
		assert.Zero(t, read.Properties.Len())
	}
	assert.Equal(t, []string{"a, then b", "a, then b"}, *s.noted)
	schema, err := s.GetSchema(p.GetSchemaRequest{})
	require.NoError(t, err)
	var spec pschema.PackageSpec
	require.NoError(t, json.Unmarshal([]byte(schema.Schema), &spec))
	assert.Empty(t, spec.Resources["quorum:index:Note"].Properties)
	assert.Contains(t, spec.Resources["quorum:index:Note"].InputProperties, "text")
}
