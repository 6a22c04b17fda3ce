package guard_test

import (
	"context"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// run is a run of the engine: do is called as a resource is.
func run(t *testing.T) func(do func(context.Context)) {
	t.Helper()
	var now func(context.Context)
	q := running.Track(p.Provider{Delete: func(ctx context.Context, _ p.DeleteRequest) error {
		now(ctx)
		return nil
	}})
	return func(do func(context.Context)) {
		t.Helper()
		now = do
		require.NoError(t, q.Delete(t.Context(), p.DeleteRequest{}))
	}
}

type asks struct{ by string }

func says(by string) func(*asks) asks { return func(*asks) asks { return asks{by} } }

func decide(ctx context.Context, machine property.Value) p.DiffResponse {
	inputs := property.NewMap(map[string]property.Value{"gate": property.New("main-plan"), "machine": machine})
	return guard.Decide[asks](ctx, p.DiffRequest{Inputs: inputs}, map[string]p.PropertyDiff{})
}

func TestAsks(t *testing.T) {
	t.Parallel()
	const refused = "the machine of b cannot be deleted in this update, which leaves out main-plan, by which the other machines are checked"
	parts := func(names ...string) func(context.Context) {
		return func(ctx context.Context) {
			running.Note(ctx, running.Beside(ctx, "main-plan"), func(now *running.Parts) { *now = names })
		}
	}
	for name, c := range map[string]struct {
		before []func(context.Context)
		by     *asks
		err    string
	}{
		"the stack is destroyed": {},
		"the cluster has left the program": {before: []func(context.Context){
			func(ctx context.Context) { guard.Says(ctx, "other-plan", says("other")) },
			func(ctx context.Context) {
				running.Note(ctx, running.Beside(ctx, "other-plan"), func(now *running.Parts) { *now = running.Parts{"a"} })
			},
		}},
		"destroyed with the program": {before: []func(context.Context){parts("a", "b")}},
		"the gate is checked": {before: []func(context.Context){
			parts("a"),
			func(ctx context.Context) { guard.Says(ctx, "main-plan", says("first")) },
			func(ctx context.Context) {
				guard.Says(ctx, "main-plan", func(before *asks) asks { return asks{before.by + " second"} })
			},
		}, by: &asks{"first second"}},
		"the machine is replaced, and the gate left out": {before: []func(context.Context){
			parts("a", "b"),
			func(ctx context.Context) { decide(ctx, property.New(property.Computed)) },
		}, err: refused},
		"the machine has left the program, and the gate is left out": {before: []func(context.Context){parts("a", "c")}, err: refused},
		"the machine stays as it is": {before: []func(context.Context){
			parts("a", "b"),
			func(ctx context.Context) { decide(ctx, property.New("m1")) },
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			as := run(t)
			for _, before := range c.before {
				as(before)
			}
			as(func(ctx context.Context) {
				by, err := guard.Asks[asks](ctx, "main-plan", "b")
				assert.Equal(t, c.by, by)
				if c.err == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, c.err)
			})
		})
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	run(t)(func(ctx context.Context) {
		assert.False(t, decide(ctx, property.New("m1")).HasChanges)
		going := decide(ctx, property.New(property.Computed))
		assert.True(t, going.HasChanges)
		assert.True(t, going.DeleteBeforeReplace)
		assert.Equal(t, p.UpdateReplace, going.DetailedDiff["machine"].Kind)
	})
}
