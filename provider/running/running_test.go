package running_test

import (
	"context"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

type counted struct{ calls int }

// seen is what a provider sees in Delete.
type seen struct {
	program bool
	urn     urn.URN
	calls   int
}

func track(t *testing.T) (tracked p.Provider, deletes func() seen) {
	t.Helper()
	var last seen
	count := func(ctx context.Context) int {
		c := running.Of[counted](ctx)
		c.calls++
		return c.calls
	}
	tracked = running.Track(p.Provider{
		Check: func(ctx context.Context, _ p.CheckRequest) (p.CheckResponse, error) {
			count(ctx)
			return p.CheckResponse{}, nil
		},
		CheckConfig: func(context.Context, p.CheckRequest) (p.CheckResponse, error) { return p.CheckResponse{}, nil },
		Construct: func(context.Context, p.ConstructRequest) (p.ConstructResponse, error) {
			return p.ConstructResponse{}, nil
		},
		Read: func(context.Context, p.ReadRequest) (p.ReadResponse, error) { return p.ReadResponse{}, nil },
		Diff: func(context.Context, p.DiffRequest) (p.DiffResponse, error) { return p.DiffResponse{}, nil },
		Delete: func(ctx context.Context, _ p.DeleteRequest) error {
			last = seen{running.Program(ctx), running.URN(ctx), count(ctx)}
			return nil
		},
	})
	return tracked, func() seen {
		require.NoError(t, tracked.Delete(t.Context(), p.DeleteRequest{Urn: "urn:pulumi:s::p::t::gone"}))
		return last
	}
}

func TestProgramIsSeenByWhatOnlyAProgramRegisters(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(p.Provider) error{
		"Check":       func(q p.Provider) error { _, err := q.Check(t.Context(), p.CheckRequest{}); return err },
		"CheckConfig": func(q p.Provider) error { _, err := q.CheckConfig(t.Context(), p.CheckRequest{}); return err },
		"Construct":   func(q p.Provider) error { _, err := q.Construct(t.Context(), p.ConstructRequest{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, deletes := track(t)
			_, err := q.Read(t.Context(), p.ReadRequest{})
			require.NoError(t, err)
			assert.False(t, deletes().program, "refresh and destroy call nothing else")
			require.NoError(t, call(q))
			assert.True(t, deletes().program)
		})
	}
}

func TestWhatIsKeptIsOneProvidersOwn(t *testing.T) {
	t.Parallel()
	q, deletes := track(t)
	_, err := q.Check(t.Context(), p.CheckRequest{})
	require.NoError(t, err)
	last := deletes()
	assert.Equal(t, 2, last.calls)
	assert.EqualValues(t, "urn:pulumi:s::p::t::gone", last.urn)
	_, another := track(t)
	assert.Equal(t, 1, another().calls)
}

// TestTell has a component tell, as the engine passes it on to the provider of
// its children.
func TestTell(t *testing.T) {
	t.Parallel()
	var parts running.Parts
	var known bool
	q := running.Track(p.Provider{Delete: func(ctx context.Context, _ p.DeleteRequest) error {
		parts, known = running.Noted[running.Parts](ctx, "main")
		return nil
	}})
	passOn := passingOn{func(args pulumi.MockCallArgs) error {
		_, err := q.Invoke(t.Context(), p.InvokeRequest{Token: tokens.Type(args.Token), Args: resource.FromResourcePropertyMap(args.Args)})
		return err
	}}
	for _, told := range []running.Parts{{"a", "b"}, {"c"}} {
		require.NoError(t, q.Delete(t.Context(), p.DeleteRequest{}))
		require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error { return running.Tell(ctx, "main", told) }, pulumi.WithMocks("p", "s", passOn)))
		require.NoError(t, q.Delete(t.Context(), p.DeleteRequest{}))
		assert.True(t, known)
		assert.Equal(t, told, parts)
	}
	_, err := q.Invoke(t.Context(), p.InvokeRequest{Token: "quorum:index:another"})
	require.Error(t, err, "all others are passed on")
}

type passingOn struct {
	call func(pulumi.MockCallArgs) error
}

func (passingOn) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	return args.Name, args.Inputs, nil
}

func (m passingOn) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return resource.PropertyMap{}, m.call(args)
}

func TestWithoutAProviderNothingIsKnown(t *testing.T) {
	t.Parallel()
	assert.False(t, running.Program(t.Context()))
	assert.Zero(t, running.Of[counted](t.Context()).calls)
	assert.Empty(t, running.URN(t.Context()))
}
