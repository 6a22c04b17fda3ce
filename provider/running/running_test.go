package running_test

import (
	"context"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
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

func TestWithoutAProviderNothingIsKnown(t *testing.T) {
	t.Parallel()
	assert.False(t, running.Program(t.Context()))
	assert.Zero(t, running.Of[counted](t.Context()).calls)
	assert.Empty(t, running.URN(t.Context()))
}
