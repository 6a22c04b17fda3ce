package postgres_test

import (
	"testing"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

// TestStanza makes a name, and another one only where the cluster's own backups become its source.
func TestStanza(t *testing.T) {
	t.Parallel()
	all, err := provider.New()
	require.NoError(t, err)
	server, err := integration.NewServer(t.Context(), provider.Name, semver.MustParse(version.String()), integration.WithProvider(all))
	require.NoError(t, err)
	const urn = "urn:pulumi:dev::test::quorum:index:PostgresStanza::main-stanza"
	inputs := func(source string) property.Map {
		in := map[string]property.Value{"scope": property.New("main")}
		if source != "" {
			in["source"] = property.New(source)
		}
		return property.NewMap(in)
	}
	planned, err := server.Create(p.CreateRequest{Urn: urn, Properties: inputs(""), DryRun: true})
	require.NoError(t, err)
	assert.True(t, planned.Properties.Get("stanza").IsComputed(), "%v", planned.Properties)
	made, err := server.Create(p.CreateRequest{Urn: urn, Properties: inputs("other-1a2b3c4d")})
	require.NoError(t, err)
	name := made.Properties.Get("stanza").AsString()
	assert.Regexp(t, `^main-[0-9a-f]{8}$`, name)

	changes := func(source string) bool {
		diff, err := server.Diff(p.DiffRequest{ID: made.ID, Urn: urn, State: made.Properties, OldInputs: inputs("other-1a2b3c4d"), Inputs: inputs(source)})
		require.NoError(t, err)
		for _, d := range diff.DetailedDiff {
			assert.Contains(t, []p.DiffKind{p.Add, p.Update}, d.Kind, "never a replacement")
		}
		return diff.HasChanges
	}
	assert.False(t, changes(""), "restore is taken out")
	assert.False(t, changes("another-1a2b3c4d"))
	assert.True(t, changes(name))
	moved, err := server.Update(p.UpdateRequest{ID: made.ID, Urn: urn, State: made.Properties, OldInputs: inputs(""), Inputs: inputs(name)})
	require.NoError(t, err)
	now := moved.Properties.Get("stanza").AsString()
	assert.Regexp(t, `^main-[0-9a-f]{8}$`, now)
	assert.NotEqual(t, name, now)
}
